// The process that owns a GPU's context for one target. Started by the first worker that needs it, gone when nobody does:
// `fuzz_<target> --warpfuzz-gpu-server --device=N --socket=PATH`.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/device_builds.h"

namespace warpfuzz::cuda {

std::unique_ptr<GpuServer> make_gpu_server(const Schema& schema, const Launcher& launcher,
                                           const std::vector<std::string>& arguments);

}  // namespace warpfuzz::cuda
