// fuzz_rare_fault: reads past its input where the first element's bits hash to one value in 2^16: a device fault every few seconds of
// fuzzing, for the tests of a server that dies often.
#include "rare_fault.cu"
#include "warpfuzz/target.h"

#include "ops/value_reference.h"

WARPFUZZ_TARGET(rare_fault,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("n", 4096, 4)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .reference(warpfuzz::bit_equal_reference([](const RefContext& c,
                                                                std::vector<std::vector<double>>& values) {
                      values[1].assign(c.in[0].begin(), c.in[0].end());
                    })),
                [](const Launch& l) { rare_fault(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
