// fuzz_pair_values: a test of campaigns, two bugs of one class in one kernel.
#include "pair_values.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(pair_values, ops::relu().dtypes({f32}),
                [](const Launch& l) { pair_values(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
