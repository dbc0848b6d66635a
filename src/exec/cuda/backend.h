// The CUDA backend: a case goes to the server of a build of the target and its outputs come back. This process holds no CUDA.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/device_counters.h"
#include "exec/cuda/link.h"
#include "exec/device_builds.h"
#include "exec/tensor_stage.h"

namespace warpfuzz::cuda {

class CudaBackend final : public Backend, public DeviceBuilds {
 public:
  CudaBackend(Build build, int device) : build_(build), link_(build, device) {}
  const char* name() const override { return "cuda"; }
  std::string device() const override { return device_; }
  std::string compiler() const override;
  bool orders() const override { return false; }
  bool in_process() const override { return false; }
  RunOutput run(const RunInput& input, const Launcher& launcher) override;

  Operands compare_operands() override { return {coverage_.operands, {}}; }
  void clear_compare_operands() override { coverage_.operands.clear(); }
  std::vector<std::uint32_t> device_features() override { return coverage_.features; }
  DeviceBuilds* device_builds() override { return this; }
  CaseWitness* witness() override { return nullptr; }

  void set_device(int number) override;
  void set_time_limit(int seconds) override;
  std::string ready() override;
  Backend* other_build(OtherBuild which) override;
  double repeat(double seconds) override;
  std::unique_ptr<GpuServer> server(const Schema& schema, const Launcher& launcher,
                                    const std::vector<std::string>& arguments) override;

 private:
  struct Planned : StagedTensor {
    std::size_t up[kMaxCalls] = {}, down[kMaxCalls] = {};  // offsets; where the request says so
  };
  std::string unusable(const std::string& error) const;
  void plan(const RunInput& in, bool download_all);
  void fill_request(const RunInput& in, bool download_all);
  void fill_tensor(const RunInput& in, std::size_t k, std::size_t call);
  Outcome exchange(const RunInput& in, bool download_all, bool with_meanwhile);
  void interpret(const RunInput& in, Outcome outcome, RunOutput& out);
  void check_memory(const RunInput& in, std::size_t call, ExecStatus& status);
  void report_change(const RunInput& in, std::size_t k, std::size_t call, ExecStatus& status);
  void read_outputs(CallOutput& out, std::size_t call);
  void read_state(const RunInput& in, ExecStatus& status);
  void ask_checked_build(const RunInput& in, const Launcher& launcher, ExecStatus& status);

  Build build_;
  Link link_;
  std::string device_ = "GPU";
  int time_limit_ = 10;  // seconds a case may take on the device
  bool direct_ = false;
  std::vector<Planned> tensors_;
  std::size_t up_bytes_ = 0, down_bytes_ = 0;
  StorageImage image_;
  Coverage coverage_;
  std::unique_ptr<CudaBackend> others_[3];
};

}  // namespace warpfuzz::cuda
