// fuzz_l2norm_twin: l2norm with every intermediate rounded to 16 bits; bf16 for fp32, sums of squares need its range.
#include "low.h"
#define float twin::Low
#include "kernels/l2norm.cu"
#undef float

WARPFUZZ_TARGET(l2norm_twin, ops::l2norm().dtypes({f32, f16, bf16}).dialect("form=max").dialect("nan=propagate"),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    twin::use<T>(bf16);
                    l2norm<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                              static_cast<float>(l.scalar("eps")), l.stream());
                  });
                });
