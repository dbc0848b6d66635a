// fuzz_softmax_twin: softmax with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/softmax.cu"
#undef float

WARPFUZZ_TARGET(softmax_twin, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096)),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    twin::use<T>();
                    softmax<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream());
                  });
                });
