// fuzz_rmsnorm_eps_outside: subtle bug, eps is added behind the square root.
#include "kernels/rmsnorm_eps_outside.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(rmsnorm_eps_outside, ops::rmsnorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    rmsnorm_eps_outside<T>(l.in<T>("x"), l.in<T>("gamma"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                           static_cast<float>(l.scalar("eps")), l.stream());
  });
});
