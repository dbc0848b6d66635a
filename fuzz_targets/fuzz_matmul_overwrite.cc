// fuzz_matmul_overwrite: planted bug, each K block overwrites the accumulator.
#include "kernels/matmul_overwrite.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul_overwrite, ops::matmul().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    matmul_overwrite<T>(l.in<T>("a"), l.in<T>("b"), l.out<T>("c"), l.dim("M"), l.dim("N"), l.dim("K"), l.stream());
  });
});
