// fuzz_leaky_relu_twin: leaky ReLU with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/leaky_relu.cu"
#undef float

WARPFUZZ_TARGET(leaky_relu_twin, ops::leaky_relu().dtypes({f32, f16, bf16}).dialect("nan=propagate"),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    twin::use<T>();
                    leaky_relu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), static_cast<float>(l.scalar("slope")),
                                  l.stream());
                  });
                });
