// fuzz_attention_no_scale: planted bug, the scores are not scaled.
#include "kernels/attention_no_scale.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(attention_no_scale,
                ops::attention()
                    .dtypes({f32, f16, bf16})
                    .mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)})
                    .dialect("mask=select"),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    attention_no_scale<In, Out>(l.in<In>("q"), l.in<In>("k"), l.in<In>("v"), l.out<Out>("o"),
                                                l.dim("B"), l.dim("M"), l.dim("N"), l.dim("D"), l.flag("causal"),
                                                l.stream());
                  });
                });
