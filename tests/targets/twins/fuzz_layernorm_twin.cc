// fuzz_layernorm_twin: layer normalisation with every intermediate rounded to 16 bits; bf16 for fp32, sums of squares need its range.
#include "low.h"
#define float twin::Low
#include "kernels/layernorm.cu"
#undef float

WARPFUZZ_TARGET(layernorm_twin, ops::layernorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>(bf16);
    layernorm<T>(l.in<T>("x"), l.in<T>("gamma"), l.in<T>("beta"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                 static_cast<float>(l.scalar("eps")), l.stream());
  });
});
