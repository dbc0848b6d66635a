#include "engine/gpu_server.h"

#include "pipeline/target.h"
#include "process/death/early_end.h"
#include "process/death/interrupt.h"

namespace warpfuzz {

int serve_gpu(const std::vector<std::string>& arguments) {
  allow_interrupts();  // a worker that waits for them has started this process
  set_early_end_handler([](const char*) {
    this_backend().ended_early();
    return false;
  });
  const Target& target = this_target();
  return this_backend().serve_device(target.schema(), target.launcher, arguments);
}

}  // namespace warpfuzz
