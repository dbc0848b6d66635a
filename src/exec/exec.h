// What a backend does with one case: copy the values in, poison the rest, call the target's launcher, check, and
// hand the outputs back. The same interface for the CPU executor and for a GPU.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/exit_codes.h"
#include "exec/launch.h"
#include "schema/codec/codec.h"
#include "schema/fault.h"
#include "schema/fill/fill.h"
#include "schema/fill/poison.h"

namespace warpfuzz {

enum class Order : std::uint8_t { ascending, descending, shuffled };
struct Schedule {
  Order threads = Order::ascending, blocks = Order::ascending;
  std::uint64_t seed = 0;        // of the shuffles
  bool strict_barriers = false;  // exited threads do not count as arrived at __syncthreads
};

struct LaunchInfo {
  std::string kernel;
  std::uint32_t grid[3], block[3];
  std::uint64_t dynamic_shared = 0;  // bytes
  int error = 0;                     // cudaError_t of a refused launch, else 0
};

struct ExecStatus {
  FaultClass fault = FaultClass::none;
  Place place;
  std::string message;  // one line: what happened, expected, got
  int tensor = -1;      // input_changed, oob: the tensor concerned
  std::vector<LaunchInfo> launches;
  std::vector<std::uint32_t> shared_extents;  // extents of static shared arrays touched, in elements
  bool float_atomics = false;                 // outputs may differ in bits between orders
  std::uint64_t leaked_bytes = 0;             // launcher allocations that were not freed (freed by the backend)
  std::uint64_t kernel_ns = 0;                // time inside launches; statistics only
};

struct CallInput {
  std::vector<std::vector<float>> values;
};  // per tensor of the schema: row-major logical elements; empty where none
struct CallOutput {
  // Per tensor of the schema: raw bits of the logical elements, row-major and contiguous; empty for pure inputs and
  // absent ones.
  std::vector<std::vector<std::byte>> tensors;
};

using Launcher = std::function<void(const Launch&)>;
struct RunInput {
  const Schema* schema = nullptr;
  const TestCase* test_case = nullptr;
  std::span<const CallInput> calls;  // one, or two on the same buffers
  Schedule schedule;
  int poison_variant = 0;
  bool coverage = true;  // false: counters are put back as they were (extra runs)
  // Work for the calling thread while a device computes the outputs; a backend without one never calls it. It must not
  // use the backend.
  std::function<void()> meanwhile;
};
struct RunOutput {
  ExecStatus status;
  std::vector<CallOutput> calls;
};

// Operands seen by comparisons inside kernels since they were cleared (bounded, de-duplicated); for the mutator only.
struct Operands {
  std::span<const std::uint64_t> pairs;
  std::span<const double> float_pairs;
};  // a0 b0 a1 b1 ...

// plain: without instrumentation, by the compiler of the code that ships. checked: every access checked, survives memory faults
// and names them. bare: the instrumented build's compiler without instrumentation, for measurements.
enum class OtherBuild : std::uint8_t { plain, checked, bare };

// A fault that is about to kill this process, classified (tensor, place, message).
using DeathHook = void (*)(const ExecStatus&);

// The defaults are those of a backend that runs kernels elsewhere: no fault of a kernel touches this process.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;      // "cpu", "cuda"
  virtual std::string device() const = 0;    // for reports: "CPU executor", "NVIDIA H200"
  virtual std::string compiler() const = 0;  // of the kernel's code
  virtual RunOutput run(const RunInput& input, const Launcher& launcher) = 0;
  virtual bool orders() const = 0;  // Schedule chooses the order of threads and blocks; else two runs merely repeat

  virtual bool in_process() const { return false; }  // kernels run on the thread that calls run()

  // Another build of the same sources; null where there is none.
  virtual Backend* other_build(OtherBuild) { return nullptr; }
  // Executions per second of the case that run() was last called with, over and over: what the loop costs without the host's own
  // work. 0: this backend can't tell.
  virtual double repeat(double seconds) { return (void)seconds, 0; }
  // "" or one line: what is missing to run anything, with the exit code for it. Asked once, before the engine starts.
  virtual std::string ready(int& exit_code) { return (void)exit_code, std::string(); }
  // Seconds that a case may take on a device; 0: as long as it likes. (A watchdog of the engine sees to kernels in this process.)
  virtual void set_time_limit(int) {}
  virtual void set_device(int) {}  // number of the GPU; before the first run
  // Makes this process serve a device to others, with the arguments it was started with; returns its exit code.
  // exit() or abort() was called in this process.
  virtual void ended_early() {}
  virtual int serve_device(const Schema&, const Launcher&, const std::vector<std::string>&) { return kExitUsage; }

  virtual Operands compare_operands() { return {}; }
  virtual void clear_compare_operands() {}
  virtual std::vector<std::uint32_t> device_features() { return {}; }  // numbers of the last covered run, ascending

  // Called once, before the process ends by a fault of the kernel.
  virtual void set_death_hook(DeathHook) {}
  // The case that run() is in, for those who find the process ending in its middle; null outside.
  virtual const ExecStatus* running_case() const { return nullptr; }
  // The process is about to end by a signal of its own making: gives the handlers back to whoever had them before.
  virtual void restore_signal_handlers() {}
  // Where the kernel is that a signal met at this code address, or where in the target's own code the caller was called from
  // (null); best effort.
  virtual Place place_of(const void*) { return {}; }
};
Backend& this_backend();  // that of the library which this binary links, exec/cpu or exec/cuda; one instance a process

}  // namespace warpfuzz
