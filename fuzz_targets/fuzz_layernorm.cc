// fuzz_layernorm: block-per-row layer normalisation with a two-pass variance.
#include "kernels/layernorm.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(layernorm, ops::layernorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    layernorm<T>(l.in<T>("x"), l.in<T>("gamma"), l.in<T>("beta"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                 static_cast<float>(l.scalar("eps")), l.stream());
  });
});
