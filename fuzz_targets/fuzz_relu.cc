// fuzz_relu: ReLU, two elements a thread in packed types.
#include "kernels/relu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(relu, ops::relu().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() { relu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
