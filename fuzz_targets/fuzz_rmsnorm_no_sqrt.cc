// fuzz_rmsnorm_no_sqrt: planted bug, rows are divided by the mean square itself.
#include "kernels/rmsnorm_no_sqrt.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(rmsnorm_no_sqrt, ops::rmsnorm().dtypes({f32, f16, bf16}), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    rmsnorm_no_sqrt<T>(l.in<T>("x"), l.in<T>("gamma"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                       static_cast<float>(l.scalar("eps")), l.stream());
  });
});
