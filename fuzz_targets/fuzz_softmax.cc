// fuzz_softmax: block-per-row softmax with shuffle and shared-memory reductions.
#include "kernels/softmax.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(softmax, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096)), [](const Launch& l) {
  l.for_dtype([&]<class T>() { softmax<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream()); });
});
