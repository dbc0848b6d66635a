// fuzz_softmax_padded: planted bug, the padding of a row leaks into the denominator.
#include "kernels/softmax_padded.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(softmax_padded, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096)),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    softmax_padded<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream());
                  });
                });
