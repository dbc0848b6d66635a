// The entry of a server's process: `fuzz_<target> --warpfuzz-gpu-server --device=N --socket=PATH`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/exit_codes.h"
#include "exec/cuda/backend.h"
#include "exec/cuda/server/server.h"

namespace warpfuzz::cuda {
int CudaBackend::serve_device(const Schema& schema, const Launcher& launcher,
                              const std::vector<std::string>& arguments) {
  ServerSettings settings;
  for (const std::string& a : arguments) {
    if (a.starts_with("--device=")) settings.device = std::atoi(a.c_str() + 9);
    if (a.starts_with("--socket=")) settings.path = a.substr(9);
    if (a.starts_with("--idle=")) settings.idle_seconds = std::atoi(a.c_str() + 7);
  }
  if (settings.path.empty()) {
    std::fprintf(stderr,
                 "warpfuzz: this binary serves a GPU to fuzz_<target>, which starts it; expected --socket=PATH\n");
    return kExitUsage;
  }
  // Whoever started the worker may wait for the end of a pipe that this process would hold open.
  close_range(3, ~0u, 0);
  return run_server(schema, launcher, settings);
}

void CudaBackend::ended_early() { server_ended_early(); }

}  // namespace warpfuzz::cuda
