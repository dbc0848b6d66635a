// fuzz_gelu_twin: GELU with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/gelu.cu"
#undef float

WARPFUZZ_TARGET(gelu_twin, ops::gelu().dtypes({f32, f16, bf16}).dialect("form=tanh"), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>();
    gelu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream());
  });
});
