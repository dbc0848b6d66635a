// One run of a case: what a backend is given (values, an order of threads, the poison of the rest) and what it hands back
// (outputs, or the fault that it met).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

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

}  // namespace warpfuzz
