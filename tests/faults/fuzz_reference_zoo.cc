// fuzz_reference_zoo: a right kernel beside a reference, and a constraint, that fail in every way on demand.
#include <cstdlib>
#include <stdexcept>

#include "copy.cuh"
#include "warpfuzz/target.h"

namespace {

int recurse(volatile int* depth) {
  volatile int here[256] = {};
  here[0] = ++*depth;
  return recurse(depth) + here[0];
}

void fail(int how, std::vector<float>& copy) {
  volatile int zero = 0;
  int* volatile null = nullptr;
  volatile std::size_t far = copy.size() + 1;
  switch (how) {
    case 1: copy[far] = 1; return;
    case 2: throw std::runtime_error("no table for this shape");
    case 3: throw 3;
    case 4: std::exit(5);
    case 5: std::abort();
    case 6: *null = 1; return;
    case 7: zero = 7 / zero; return;
    case 8: recurse(&zero); return;
    case 9:
      while (!zero) {}
      return;
    case 10: __builtin_trap();
    default: return;
  }
}

void reference(const warpfuzz::RefContext& c, std::vector<warpfuzz::Reference>& refs) {
  static int calls = 0;
  const int how = static_cast<int>(c.scalar("how"));
  std::vector<float> values = c.in[0];
  fail(how, values);
  warpfuzz::Reference& y = refs[1];
  y.resize(how == 11 ? values.size() + 1 : values.size());
  ++calls;
  for (std::size_t i = 0; i < values.size(); ++i) {
    y.r[i] = values[i];
    if (how == 12 && i == 2) y.r[i] += calls;
    if (how == 13 && i == 3) y.e[i] = calls;
  }
}

warpfuzz::Constraint odd_sizes() {
  const auto repair = [](warpfuzz::Dims& dims) {
    if (dims[1] == 61) throw std::out_of_range("no room for 61");
    volatile int zero = 0;
    if (dims[1] == 59) dims[1] = static_cast<unsigned>(59 / zero);
  };
  return {"m has a plan", repair, [](const warpfuzz::Dims&) { return true; }};
}

}  // namespace

WARPFUZZ_TARGET(reference_zoo,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("n", 256, 4)
                    .dim("m", 64)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .constraint(odd_sizes())
                    .launch_parameter("how", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
                    .reference(reference),
                [](const Launch& l) { copy(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
