// fuzz_gelu_no_half: planted bug, GELU without its factor 1/2.
#include "kernels/gelu_no_half.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(gelu_no_half, ops::gelu().dtypes({f32, f16, bf16}).dialect("form=tanh"), [](const Launch& l) {
  l.for_dtype([&]<class T>() { gelu_no_half<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
