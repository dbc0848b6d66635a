// fuzz_matmul: matrix product with 16x16 shared-memory tiles; 16-bit inputs give 16-bit or fp32 outputs.
#include "kernels/matmul.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul, ops::matmul().dtypes({f32, f16, bf16}).mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)}),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    matmul<In, Out>(l.in<In>("a"), l.in<In>("b"), l.out<Out>("c"), l.dim("M"), l.dim("N"), l.dim("K"),
                                    l.stream());
                  });
                });
