// Elementwise ops as kernels compute them in fp32: correct formulations with the dialects that they need declared, and
// wrong ones. Each is run with the C library's functions, and with functions as far off as CUDA's are at worst.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "problem.h"

namespace warpfuzz::test {

// exp, tanh, ... in fp32. worst: moved by what docs/oracle.md allows each, up or down by the bits of the argument.
struct Functions {
  bool worst = false;
  float exp(float x) const;
  float fast_exp(float x) const;  // __expf
  float expm1(float x) const;
  float tanh(float x) const;
  float hardware_tanh(float x) const;         // tanh.approx; never beyond 1
  float fast_divide(float x, float y) const;  // __fdividef: 0 where y is above 2^126

 private:
  float moved(double exact, double c, float argument) const;
  static bool up(float argument);
  static float side_of_one(float x, float y);
};

struct ElementKernel {
  std::string op, name;
  std::vector<const char*> dialects;
  bool correct = true;
  bool only_fp32 = false;                                             // wrong by less than 16 bits show
  float (*run)(float x, float scalar, const Functions& f) = nullptr;  // scalar: slope or alpha
  TargetSpec spec() const;
};
const std::vector<ElementKernel>& element_kernels();
inline void PrintTo(const ElementKernel& k, std::ostream* os) { *os << k.op << ' ' << k.name; }

Values run(const ElementKernel& k, const Problem& p, const Functions& f);

}  // namespace warpfuzz::test
