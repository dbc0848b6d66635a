// fuzz_my_scale: a kernel and an op of a project of its own.
#include "kernels/scale.cu"
#include "ops/value_reference.h"
#include "warpfuzz/target.h"

static_assert(sizeof(MY_NAME) == sizeof("a name with spaces"));

static void tripled(const warpfuzz::RefContext& c, std::vector<std::vector<double>>& values) {
  for (float x : c.in[0]) values[1].push_back(3.0 * x);
}

// One multiplication in fp32: one rounding.
WARPFUZZ_TARGET(my_scale,
                TargetSpec::custom("my_scale")
                    .dtypes({f32})
                    .dim("n", 1000)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .reference(warpfuzz::reference_from_values(tripled, {.relative = 1, .absolute = 0})),
                [](const Launch& l) { scale(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
