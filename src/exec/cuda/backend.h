// The CUDA backend: a case goes to the server of a build of the target and its outputs come back. This process holds no CUDA.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/device_counters.h"
#include "exec/cuda/link.h"
#include "exec/exec.h"

namespace warpfuzz::cuda {

class CudaBackend final : public Backend {
 public:
  CudaBackend(Build build, int device) : build_(build), link_(build, device) {}
  const char* name() const override { return "cuda"; }
  std::string device() const override { return device_; }
  std::string compiler() const override;
  bool orders() const override { return false; }
  RunOutput run(const RunInput& input, const Launcher& launcher) override;

  Backend* other_build(OtherBuild which) override;
  double repeat(double seconds) override;
  Operands compare_operands() override { return {coverage_.operands, {}}; }
  void clear_compare_operands() override { coverage_.operands.clear(); }
  std::vector<std::uint32_t> device_features() override { return coverage_.features; }
  std::string ready(int& exit_code) override;
  void set_time_limit(int seconds) override;
  void set_device(int number) override;
  void ended_early() override;
  int serve_device(const Schema& schema, const Launcher& launcher, const std::vector<std::string>& arguments) override;

 private:
  struct Planned {
    TensorLayout layout;
    Role role = Role::in;
    std::size_t up[kMaxCalls] = {}, down[kMaxCalls] = {};  // offsets; where the request says so
    bool padded() const { return layout.storage_elements != layout.elements; }
    bool read_only() const { return role == Role::in; }
  };
  std::string unusable(const std::string& error) const;
  void plan(const RunInput& in, bool download_all);
  void fill_request(const RunInput& in, bool download_all);
  void fill_tensor(const RunInput& in, std::size_t tensor, int call);
  Outcome exchange(const RunInput& in, bool download_all, bool with_meanwhile);
  void interpret(const RunInput& in, Outcome outcome, RunOutput& out);
  void check_memory(const RunInput& in, int call, ExecStatus& status);
  void report_change(const RunInput& in, std::size_t tensor, int call, ExecStatus& status);
  void harvest(CallOutput& out, int call);
  void read_state(const RunInput& in, ExecStatus& status);
  void ask_checked_build(const RunInput& in, const Launcher& launcher, ExecStatus& status);
  const std::byte* expected_image(const RunInput& in, std::size_t tensor, int call);

  Build build_;
  Link link_;
  std::string device_ = "GPU";
  int time_limit_ = 10;  // seconds a case may take on the device
  bool direct_ = false;
  std::vector<Planned> tensors_;
  std::size_t up_bytes_ = 0, down_bytes_ = 0;
  std::vector<std::byte> elements_, image_;
  Coverage coverage_;
  std::unique_ptr<CudaBackend> others_[3];
};

}  // namespace warpfuzz::cuda
