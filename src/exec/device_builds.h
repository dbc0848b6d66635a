// What only a backend with a device has: other builds of the kernel, settings of the device, and the server that owns it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/backend.h"

namespace warpfuzz {

// plain: without instrumentation, by the compiler of the code that ships. checked: every access checked, survives memory faults
// and names them. bare: the instrumented build's compiler without instrumentation, for measurements.
enum class OtherBuild : std::uint8_t { plain, checked, bare };

// This process as the one that owns a device and runs the cases of others on it (docs/cuda.md).
class GpuServer {
 public:
  virtual ~GpuServer() = default;
  virtual int run() = 0;  // serves until nobody asks any more; the exit code of the process
  // exit() or abort() was called in this process. Where a launcher did, its case gets an answer and the process ends here.
  virtual void ended_early() = 0;
};

class DeviceBuilds {
 public:
  virtual ~DeviceBuilds() = default;
  virtual void set_device(int number) = 0;       // of the GPU; before the first run
  virtual void set_time_limit(int seconds) = 0;  // that a case may take on the device; 0: as long as it likes
  // "" or one line: what is missing to run anything (exit code kExitNoDevice). Asked once, before the engine starts.
  virtual std::string ready() = 0;

  // The same sources built otherwise; null where this binary has no such build beside it.
  virtual Backend* other_build(OtherBuild which) = 0;
  // Executions per second of the case that run() was last called with, over and over: what the loop costs without the host's own
  // work. 0: the case does not run to its end.
  virtual double repeat(double seconds) = 0;

  // `arguments`: those that the process was started with. Schema and launcher outlive the server.
  virtual std::unique_ptr<GpuServer> server(const Schema& schema, const Launcher& launcher,
                                            const std::vector<std::string>& arguments) = 0;
};

// Null also where there is no device.
inline Backend* other_build(Backend& backend, OtherBuild which) {
  DeviceBuilds* builds = backend.device_builds();
  return builds ? builds->other_build(which) : nullptr;
}
// What a campaign's or a session's options say of the device, where there is one.
inline void choose_device(Backend& backend, int number, int seconds) {
  DeviceBuilds* builds = backend.device_builds();
  if (!builds) return;
  builds->set_device(number);
  builds->set_time_limit(seconds);
}

}  // namespace warpfuzz
