// fuzz_branches: a right kernel that takes another way for many elements, and another one for an odd number of them.
#include "branches.cuh"
#include "ops/value_reference.h"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(branches,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("n", 256)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .reference(warpfuzz::bit_equal_reference([](const RefContext& c,
                                                                std::vector<std::vector<double>>& values) {
                      values[1].assign(c.in[0].begin(), c.in[0].end());
                    })),
                [](const Launch& l) { branches(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
