// fuzz_flash_attention: attention over tiles of keys with a running maximum; 16-bit inputs give 16-bit or fp32 outputs.
#include "kernels/flash_attention.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(flash_attention,
                ops::attention()
                    .algorithm("flash")
                    .dtypes({f32, f16, bf16})
                    .mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)})
                    .dialect("mask=select"),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    flash_attention<In, Out>(l.in<In>("q"), l.in<In>("k"), l.in<In>("v"), l.out<Out>("o"), l.dim("B"),
                                             l.dim("M"), l.dim("N"), l.dim("D"), l.flag("causal"), l.stream());
                  });
                });
