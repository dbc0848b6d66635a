// fuzz_softmax_8x1025: softmax with its shape held, for measurements of the whole loop: seeds and overrides mutate, the work does not.
#include "kernels/softmax.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(softmax_8x1025, ops::softmax().dtypes({f32}).where("rows", exactly(8)).where("cols", exactly(1025)),
                [](const Launch& l) {
                  softmax<float>(l.in<float>("x"), l.out<float>("y"), l.dim("rows"), l.dim("cols"), l.stream());
                });
