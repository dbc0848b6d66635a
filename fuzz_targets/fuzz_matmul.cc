// fuzz_matmul: matrix product with 16x16 shared-memory tiles.
#include "kernels/matmul.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul, ops::matmul().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    matmul<T>(l.in<T>("a"), l.in<T>("b"), l.out<T>("c"), l.dim("M"), l.dim("N"), l.dim("K"), l.stream());
  });
});
