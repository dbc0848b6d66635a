// fuzz_elu: ELU by expm1, vectors of four over a grid-stride loop; NaN stays.
#include "kernels/elu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(elu, ops::elu().dtypes({f32, f16, bf16}).dialect("via=expm1").dialect("nan=propagate"),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    elu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), static_cast<float>(l.scalar("alpha")), l.stream());
                  });
                });
