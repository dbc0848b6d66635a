// fuzz_rmsnorm: block-per-row RMS normalisation, the weight applied in fp32.
#include "kernels/rmsnorm.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(rmsnorm, ops::rmsnorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    rmsnorm<T>(l.in<T>("x"), l.in<T>("gamma"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
               static_cast<float>(l.scalar("eps")), l.stream());
  });
});
