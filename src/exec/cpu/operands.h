// Operands of comparisons inside kernels, for the mutator: per comparison in the code the first and the last pair of a
// case. Internal to exec/cpu; filled by compare_trace.cc, which only fuzzing binaries link.
#pragma once
#include <cstdint>

#include "exec/cpu/executor.h"

namespace warpfuzz::cpu {

struct OperandSlot {
  std::uintptr_t pc;  // of the comparison, from the start of the image; 0: free
  bool floating;
  std::uint64_t first[2], last[2];  // bits of doubles where floating
};
inline constexpr std::uint32_t kOperandSlots = 512;
struct OperandTable {
  bool recording = true;  // false in runs without coverage: they leave no trace
  std::uint32_t used = 0;
  OperandSlot slots[kOperandSlots];
};
extern OperandTable operand_table;

// False in runs without coverage: neither the engine nor the table sees their comparisons.
inline bool trace_compares() { return operand_table.recording; }
inline void set_compare_tracing(bool on) { operand_table.recording = on; }

inline void record_operands(std::uintptr_t pc, std::uint64_t a, std::uint64_t b, bool floating) {
  std::uint32_t at = static_cast<std::uint32_t>((pc * 0x9e3779b97f4a7c15ull) >> 55);  // 9 bits
  OperandSlot* s = &operand_table.slots[at];
  if (s->pc != pc) {
    if (s->pc != 0) s = &operand_table.slots[at ^ 1];
    if (s->pc != pc) {
      if (s->pc != 0) return;  // two neighbours taken: this comparison is not followed
      s->pc = pc;
      s->floating = floating;
      s->first[0] = a, s->first[1] = b;
      ++operand_table.used;
    }
  }
  s->last[0] = a, s->last[1] = b;
}

}  // namespace warpfuzz::cpu
