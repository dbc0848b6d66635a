// fuzz_layernorm_vec4: thread-per-row layer normalisation in vectors of four; rows must be whole vectors.
#include "kernels/layernorm_vec4.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(layernorm_vec4, ops::layernorm().dtypes({f32, f16, bf16}).where("cols", multiple_of(4, 1024)),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    layernorm_vec4<T>(l.in<T>("x"), l.in<T>("gamma"), l.in<T>("beta"), l.out<T>("y"), l.dim("rows"),
                                      l.dim("cols"), static_cast<float>(l.scalar("eps")), l.stream());
                  });
                });
