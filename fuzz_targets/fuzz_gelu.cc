// fuzz_gelu: GELU in the tanh form, one element a thread.
#include "kernels/gelu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(gelu, ops::gelu().dtypes({f32, f16, bf16}).dialect("form=tanh"), [](const Launch& l) {
  l.for_dtype([&]<class T>() { gelu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
