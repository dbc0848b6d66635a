// This process as the server of a GPU (exec/cuda): for the fuzzing binary and for the target's other builds alike.
#pragma once
#include <string>
#include <vector>

namespace warpfuzz {

int run_gpu_server(const std::vector<std::string>& arguments);  // exit code

}  // namespace warpfuzz
