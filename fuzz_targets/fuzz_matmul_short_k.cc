// fuzz_matmul_short_k: subtle bug, the last element of K is left out when K is 1025.
#include "kernels/matmul_short_k.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul_short_k, ops::matmul().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    matmul_short_k<T>(l.in<T>("a"), l.in<T>("b"), l.out<T>("c"), l.dim("M"), l.dim("N"), l.dim("K"), l.stream());
  });
});
