// fuzz_matmul_twin: matrix product with every product and sum rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/matmul.cu"
#undef float

WARPFUZZ_TARGET(matmul_twin,
                ops::matmul().dtypes({f32, f16, bf16}).mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)}),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    twin::use<In>();
                    matmul<In, Out>(l.in<In>("a"), l.in<In>("b"), l.out<Out>("c"), l.dim("M"), l.dim("N"), l.dim("K"),
                                    l.stream());
                  });
                });
