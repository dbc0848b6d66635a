// What a backend does with one case: copy the values in, poison the rest, call the target's launcher, check, and
// hand the outputs back. The same interface for the CPU executor and for a GPU.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "exec/launch.h"
#include "schema/codec.h"
#include "schema/fault.h"
#include "schema/fill.h"

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

// Poison of memory that nobody has written. The payload differs by what it fills and by `variant` (0 or 1), so that
// two runs with two variants show unwritten elements and uses of uninitialised memory. Variant 0 is a NaN, as every
// type and as every part of a wider one; variant 1 is another NaN for outputs and a huge number for the rest, since
// fmaxf and fminf drop NaNs.
enum class PoisonKind : std::uint8_t { output, workspace, shared, padding };
std::uint64_t poison_bits(DType t, PoisonKind kind, int variant);

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
};
struct RunOutput {
  ExecStatus status;
  std::vector<CallOutput> calls;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;  // "cpu"
  virtual RunOutput run(const RunInput& input, const Launcher& launcher) = 0;
  virtual bool deterministic() const = 0;  // the same order twice gives the same bits
};
Backend& cpu_backend();  // exec/cpu; one instance a process

}  // namespace warpfuzz
