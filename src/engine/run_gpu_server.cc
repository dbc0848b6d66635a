#include "engine/run_gpu_server.h"

#include <cstdio>

#include "base/exit_codes.h"
#include "exec/device_builds.h"
#include "pipeline/target.h"
#include "process/death/early_end.h"
#include "process/death/interrupt.h"

namespace warpfuzz {

int run_gpu_server(const std::vector<std::string>& arguments) {
  DeviceBuilds* builds = this_backend().device_builds();
  if (!builds) {
    std::fprintf(stderr,
                 "warpfuzz: --warpfuzz-gpu-server: this binary runs its kernels on the CPU and has no GPU to serve\n");
    return kExitUsage;
  }
  allow_interrupts();  // a worker that waits for them has started this process
  const Target& target = this_target();
  const std::unique_ptr<GpuServer> server = builds->server(target.schema(), target.launcher, arguments);
  set_early_end_handler({[](void* running, const char*) {
                           static_cast<GpuServer*>(running)->ended_early();
                           return false;
                         },
                         server.get()});
  const int code = server->run();
  set_early_end_handler({});
  return code;
}

}  // namespace warpfuzz
