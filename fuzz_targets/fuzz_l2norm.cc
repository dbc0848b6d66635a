// fuzz_l2norm: rows divided by max(norm, eps), a block a row; NaN stays.
#include "kernels/l2norm.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(l2norm, ops::l2norm().dtypes({f32, f16, bf16}).dialect("form=max").dialect("nan=propagate"),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    l2norm<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                              static_cast<float>(l.scalar("eps")), l.stream());
                  });
                });
