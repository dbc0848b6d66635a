// fuzz_attention_twin: attention with every intermediate rounded to 16 bits.
#include "low.h"
#define float twin::Low
#include "kernels/attention.cu"
#undef float

WARPFUZZ_TARGET(attention_twin,
                ops::attention()
                    .dtypes({f32, f16, bf16})
                    .mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)})
                    .dialect("mask=select"),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    twin::use<In>();
                    attention<In, Out>(l.in<In>("q"), l.in<In>("k"), l.in<In>("v"), l.out<Out>("o"), l.dim("B"),
                                       l.dim("M"), l.dim("N"), l.dim("D"), l.flag("causal"), l.stream());
                  });
                });
