// fuzz_endings: cases that end the process, or that cannot be run, among others that are right.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "endings.cu"
#include "warpfuzz/target.h"

#include "ops/value_reference.h"

WARPFUZZ_TARGET(endings,
                TargetSpec::custom("copy")
                    .dtypes({f32, f16, bf16})
                    .dim("n", 256, 5)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .launch_parameter("path", {0, 1, 2, 3, 4, 5, 6})
                    .reference(warpfuzz::bit_equal_reference([](const RefContext& c,
                                                                std::vector<std::vector<double>>& values) {
                      values[1].assign(c.in[0].begin(), c.in[0].end());
                    })),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    endings<T>(static_cast<int>(l.scalar("path")), l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream());
                  });
                });
