// fuzz_silu_double_arg: planted bug, SiLU whose sigmoid gets 2x.
#include "kernels/silu_double_arg.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(silu_double_arg, ops::silu().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() { silu_double_arg<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
