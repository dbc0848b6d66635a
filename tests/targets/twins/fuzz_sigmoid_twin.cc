// fuzz_sigmoid_twin: sigmoid with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/sigmoid.cu"
#undef float

WARPFUZZ_TARGET(sigmoid_twin, ops::sigmoid().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>();
    sigmoid<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream());
  });
});
