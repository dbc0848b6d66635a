// fuzz_matmul_ilp: matrix product with four accumulators a thread, K split over two blocks that add into a workspace.
#include "kernels/matmul_ilp.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(matmul_ilp, ops::matmul().dtypes({f32, f16, bf16}).workspace("workspace", TensorType::fp32, {"M", "N"}),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    matmul_ilp<T>(l.in<T>("a"), l.in<T>("b"), l.out<T>("c"), l.out<float>("workspace"), l.dim("M"),
                                  l.dim("N"), l.dim("K"), l.stream());
                  });
                });
