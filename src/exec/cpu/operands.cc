// The table of compare operands and what the mutator reads of it.
#include "exec/cpu/operands.h"

#include <cstring>
#include <vector>

namespace warpfuzz::cpu {

OperandTable operand_table;

Operands compare_operands() {
  static std::vector<std::uint64_t>& pairs = *new std::vector<std::uint64_t>;
  static std::vector<double>& floats = *new std::vector<double>;
  pairs.clear();
  floats.clear();
  auto add = [](bool floating, const std::uint64_t* pair) {
    for (int i = 0; i < 2; ++i) {
      if (!floating) {
        pairs.push_back(pair[i]);
      } else {
        double value;
        std::memcpy(&value, &pair[i], sizeof value);
        floats.push_back(value);
      }
    }
  };
  if (operand_table.used) {
    for (const OperandSlot& s : operand_table.slots) {
      if (s.pc == 0) continue;
      add(s.floating, s.first);
      if (std::memcmp(s.first, s.last, sizeof s.first) != 0) add(s.floating, s.last);
    }
  }
  return {pairs, floats};
}

void clear_compare_operands() {
  if (operand_table.used) std::memset(operand_table.slots, 0, sizeof operand_table.slots);
  operand_table.used = 0;
}

}  // namespace warpfuzz::cpu

// Without the engine nobody listens to floating-point comparisons (compare_trace.cc has the real ones).
extern "C" {
__attribute__((weak)) void __warpfuzz_fcmp32(float, float) {}
__attribute__((weak)) void __warpfuzz_fcmp64(double, double) {}
}
