// fuzz_layernorm_naive_variance: subtle bug, var = E[x^2] - E[x]^2 without the dialect that allows it.
#include "kernels/layernorm_naive_variance.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(layernorm_naive_variance, ops::layernorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    layernorm_naive_variance<T>(l.in<T>("x"), l.in<T>("gamma"), l.in<T>("beta"), l.out<T>("y"), l.dim("rows"),
                                l.dim("cols"), static_cast<float>(l.scalar("eps")), l.stream());
  });
});
