// fuzz_leaky_relu_slope: planted bug, leaky ReLU with a slope of 0.1 where 0.01 was asked for.
#include "kernels/leaky_relu_slope.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(leaky_relu_slope, ops::leaky_relu().dtypes({f32, f16, bf16}).scalar("slope", {0.01}),
                [](const Launch& l) {
                  l.for_dtype(
                      [&]<class T>() { leaky_relu_slope<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
                });
