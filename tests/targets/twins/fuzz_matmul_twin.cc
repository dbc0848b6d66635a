// fuzz_matmul_twin: matrix product with every product and sum rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/matmul.cu"
#undef float

WARPFUZZ_TARGET(matmul_twin, ops::matmul().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>();
    matmul<T>(l.in<T>("a"), l.in<T>("b"), l.out<T>("c"), l.dim("M"), l.dim("N"), l.dim("K"), l.stream());
  });
});
