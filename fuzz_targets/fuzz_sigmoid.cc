// fuzz_sigmoid: sigmoid over a grid-stride loop.
#include "kernels/sigmoid.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(sigmoid, ops::sigmoid().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() { sigmoid<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
