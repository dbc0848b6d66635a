// fuzz_softmax_naive: thread-per-row softmax, a second way to write the same operator.
#include "kernels/softmax_naive.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(softmax_naive, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(1025)),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    softmax_naive<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream());
                  });
                });
