// fuzz_launcher_lines: a right kernel whose launcher, an argument of a macro, does on its host side what it may not. The fault is on the line
// that says which: the preprocessor puts the whole launcher on the macro's first line.
#include "copy.cuh"
#include "warpfuzz/target.h"

#include <cstdlib>

#include "ops/value_reference.h"

#define CHECK(CALL)                      \
  do {                                   \
    if ((CALL) == nullptr) std::abort(); \
  } while (false)

namespace {
volatile int zero_at_run_time = 0;
volatile float kept;

const char* keep(const char* name, float value) {
  kept = value;
  return name;
}
}  // namespace

WARPFUZZ_TARGET(launcher_lines,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("n", 256)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .launch_parameter("which", {0, 1, 2, 3, 4})
                    .reference(warpfuzz::bit_equal_reference([](const RefContext& c,
                                                                std::vector<std::vector<double>>& values) {
                      values[1].assign(c.in[0].begin(), c.in[0].end());
                    })),
                [](const Launch& l) {
                  const int which = static_cast<int>(l.scalar("which"));
                  const float* x = l.in<float>("x");
                  float* y = l.out<float>("y");

                  // Comments with brackets :-( and "quotes count as lines.
                  if (which == 1) y[0] = 1;  // FAULT 1
                  const char* text = R"(a raw string
        of two lines)";
                  CHECK(text);
                  if (which == 2) {
                    CHECK(keep(text, x[0]));  // FAULT 2
                    CHECK(keep(text, 1));
                  }
                  copy(x, y, l.dim("n"), l.stream());
                  if (which == 3) {
                    float* block = new float[4];
                    block[4 + zero_at_run_time] = 1;  // FAULT 3
                    delete[] block;
                  }
                  CHECK(keep(text,                     // an invocation of several lines in one of several lines
                             which == 4 ? y[1] : 0));  // FAULT 4
                });
