// fuzz_l2norm_no_sqrt: planted bug, rows are divided by their squared norm.
#include "kernels/l2norm_no_sqrt.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(l2norm_no_sqrt, ops::l2norm().dtypes({f32, f16, bf16}).dialect("form=max"), [](const Launch& l) {
  l.for_dtype([&]<class T>() {
    l2norm_no_sqrt<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), static_cast<float>(l.scalar("eps")),
                      l.stream());
  });
});
