// fuzz_silu: SiLU, four elements a thread.
#include "kernels/silu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(silu, ops::silu().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() { silu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
