// A backend runs one case: it copies the values in, poisons the rest, calls the target's launcher, checks the memory, and hands
// the outputs back. The same interface for the CPU executor and for a GPU; what only one of them has is behind a pointer.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "exec/run.h"

namespace warpfuzz {

class CaseWitness;
class DeviceBuilds;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;      // "cpu", "cuda"
  virtual std::string device() const = 0;    // for reports: "CPU executor", "NVIDIA H200"
  virtual std::string compiler() const = 0;  // of the kernel's code
  virtual bool orders() const = 0;      // Schedule chooses the order of threads and blocks; else two runs merely repeat
  virtual bool in_process() const = 0;  // kernels run on the thread that calls run()

  virtual RunOutput run(const RunInput& input, const Launcher& launcher) = 0;

  // What comparisons inside kernels saw since it was last cleared.
  virtual Operands compare_operands() = 0;
  virtual void clear_compare_operands() = 0;
  // Coverage of the last covered run that the engine's counters do not hold, ascending; empty where they hold all of it.
  virtual std::vector<std::uint32_t> device_features() = 0;

  virtual DeviceBuilds* device_builds() = 0;  // null: there is no device, and no other build of the kernel
  virtual CaseWitness* witness() = 0;         // null: no kernel runs in this process, and none can end it
};
Backend& this_backend();  // that of the library which this binary links, exec/cpu or exec/cuda; one instance a process

}  // namespace warpfuzz
