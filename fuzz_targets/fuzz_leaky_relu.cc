// fuzz_leaky_relu: leaky ReLU, one element a thread; NaN stays.
#include "kernels/leaky_relu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(leaky_relu, ops::leaky_relu().dtypes({f32, f16, bf16}).dialect("nan=propagate"), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    leaky_relu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), static_cast<float>(l.scalar("slope")), l.stream());
  });
});
