// fuzz_elu_twin: ELU with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/elu.cu"
#undef float

WARPFUZZ_TARGET(elu_twin, ops::elu().dtypes({f32, f16, bf16}).dialect("via=expm1").dialect("nan=propagate"),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    twin::use<T>();
                    elu<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), static_cast<float>(l.scalar("alpha")), l.stream());
                  });
                });
