// fuzz_softmax_tail_mask: planted bug, masked lanes load 0 instead of -inf.
#include "kernels/softmax_tail_mask.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(softmax_tail_mask, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096)),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    softmax_tail_mask<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream());
                  });
                });
