// One case: what the launches, allocations and faults of one Backend::run share. Internal to exec/cpu and its tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/cpu/executor.h"
#include "exec/cpu/memory/arena.h"
#include "exec/cpu/memory/large_arena.h"

namespace warpfuzz::cpu {

enum class RegionKind : std::uint8_t { tensor, allocation, dynamic_shared, static_shared };
// Memory that kernels may use, by name, to tell which one an access has missed.
struct Region {
  RegionKind kind;
  const char* lo;
  std::size_t bytes;
  std::string name;  // of the tensor or the shared array
  std::size_t element_size = 1;
  int tensor = -1;  // index in the schema
  bool freed = false;
  bool host_reaches = false;  // managed or pinned memory
};

struct Case {
  ExecStatus status;
  int variant = 0;  // of the poison
  int last_error = 0, sticky_error = 0;
  std::uint64_t launches = 0;       // accepted ones
  std::size_t allocated_bytes = 0;  // by the launcher, not freed
  std::vector<Region> regions;      // tensors, launcher allocations, and the shared memory of the running launch
};
Case& current_case();

// Starts from a clean state: schedule, poison, no error, no allocation.
void begin_case(const Schedule& schedule, int poison_variant, bool coverage);
// Frees what the launcher left, restores device globals and hands over what happened.
ExecStatus end_case();

// A tensor of the case: exact bounds, 256-byte alignment. Lives until end_case.
void* allocate_tensor(const char* name, int tensor, std::size_t bytes, std::size_t element_size);

// Records the first fault of the case; later ones are dropped.
void record_fault(FaultClass fault, const Place& place, const std::string& message, int tensor = -1);
Place place_at(const Site& site);  // current kernel, block and thread

// "1 element past the end of tensor x (fp32 ...)" for the region nearest to address; empty where none is near. *tensor:
// its index or -1.
std::string describe_address(const void* address, std::size_t size, int* tensor);

GuardedArena& device_arena();
GuardedArena& shared_arena();
LargeArena& large_arena();

// Shared memory of a launch (case_memory.cc).
inline constexpr std::size_t kSharedDefault = 48 * 1024, kSharedOptIn = 227 * 1024;
void begin_launch_memory(std::size_t dynamic_shared);
void begin_block_memory();  // poisons the dynamic part again
void end_launch_memory();

// Signals that a kernel causes (signals.cc): a fault of the case instead of the end of the process.
void install_signal_handlers();
// File and line of an instruction, outside of our own and CUDA's headers where possible; false without symbols.
bool symbolize(std::uintptr_t pc, std::string& file, int& line);

}  // namespace warpfuzz::cpu
