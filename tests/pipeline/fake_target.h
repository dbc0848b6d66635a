// A target without a kernel: a scripted backend stands in for the executor, so that the pipeline's rules can be tested
// one by one.
#pragma once
#include <functional>
#include <vector>

#include "pipeline/run_case.h"

namespace warpfuzz::test {

// x[n] -> y[n] = x, judged with the absolute bounds e <= e_rig.
Target identity_target(double e, double e_rig);

// The same target with a reference that counts how often it is asked.
Target counted(Target t, int& calls);

// A case of identity_target: n values of this fill.
TestCase make_case(const Target& t, std::uint32_t n, Fill fill, int calls = 0);

// What the scripted kernel does in one call: input values, the run's settings and the call's number -> output values.
struct FakeRun {
  Schedule schedule;
  int poison_variant;
  int call;
};
using FakeKernel = std::function<std::vector<float>(const std::vector<float>& x, const FakeRun& run)>;

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(FakeKernel kernel) : kernel_(std::move(kernel)) {}
  const char* name() const override { return "fake"; }
  std::string device() const override { return "fake device"; }
  std::string compiler() const override { return "fake compiler"; }
  bool orders() const override { return true; }
  bool in_process() const override { return false; }
  Operands compare_operands() override { return {}; }
  void clear_compare_operands() override {}
  std::vector<std::uint32_t> device_features() override { return {}; }
  DeviceBuilds* device_builds() override { return nullptr; }
  CaseWitness* witness() override { return nullptr; }
  RunOutput run(const RunInput& input, const Launcher&) override;
  std::function<ExecStatus(const RunInput&)> status;  // faults to report; the run has no outputs then
  int runs = 0;
  std::vector<Schedule> schedules;

 private:
  FakeKernel kernel_;
};

}  // namespace warpfuzz::test
