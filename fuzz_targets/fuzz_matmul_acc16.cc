// fuzz_matmul_acc16: planted bug, 16-bit operands are summed in 16 bits, undeclared.
#include "kernels/matmul_acc16.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul_acc16, ops::matmul().dtypes({f16, bf16}).mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)}),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    if constexpr (sizeof(In) == 2)  // fp32 is not among the dtypes
                      matmul_acc16<In, Out>(l.in<In>("a"), l.in<In>("b"), l.out<Out>("c"), l.dim("M"), l.dim("N"),
                                            l.dim("K"), l.stream());
                  });
                });
