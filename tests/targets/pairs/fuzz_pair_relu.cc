// fuzz_pair_relu: a test of campaigns, two bugs of different classes in one kernel.
#include "pair_relu.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(pair_relu, ops::relu().dtypes({f32}),
                [](const Launch& l) { pair_relu(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
