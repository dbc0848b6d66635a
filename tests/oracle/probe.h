// One output tensor with a reference given element by element: the judge without any op.
#pragma once
#include <vector>

#include "emulate.h"

namespace warpfuzz::test {

struct Probe {
  Problem problem;
  std::vector<Reference> refs;

  // rows x cols outputs of dtype t, all with r = 1, E = E_rig = 0.
  Probe(std::uint32_t rows, std::uint32_t cols, DType t, std::initializer_list<const char*> dialects = {});
  Reference& ref() { return refs[0]; }
  Verdict judge(const Values& y, std::vector<std::uint32_t> tiles = {}) const;
  Verdict judge(std::vector<std::byte> bytes, std::vector<std::uint32_t> tiles = {}) const;
};

}  // namespace warpfuzz::test
