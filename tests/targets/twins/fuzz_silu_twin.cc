// fuzz_silu_twin: silu with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/silu.cu"
#undef float

WARPFUZZ_TARGET(silu_twin, ops::silu().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    twin::use<T>();
    silu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream());
  });
});
