// fuzz_tanh: tanh, four strided elements a thread.
#include "kernels/tanh.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(tanh, ops::tanh().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() { tanh_elements<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
