// fuzz_flash_no_rescale: planted bug, the accumulated output is not rescaled when the running maximum moves.
#include "kernels/flash_no_rescale.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(flash_no_rescale,
                ops::attention()
                    .algorithm("flash")
                    .dtypes({f32, f16, bf16})
                    .mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)})
                    .dialect("mask=select"),
                [](const Launch& l) {
                  l.for_dtypes([&]<class In, class Out>() {
                    flash_no_rescale<In, Out>(l.in<In>("q"), l.in<In>("k"), l.in<In>("v"), l.out<Out>("o"), l.dim("B"),
                                              l.dim("M"), l.dim("N"), l.dim("D"), l.flag("causal"), l.stream());
                  });
                });
