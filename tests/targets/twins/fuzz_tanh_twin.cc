// fuzz_tanh_twin: tanh with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/tanh.cu"
#undef float

WARPFUZZ_TARGET(tanh_twin, ops::tanh().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>();
    tanh_elements<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream());
  });
});
