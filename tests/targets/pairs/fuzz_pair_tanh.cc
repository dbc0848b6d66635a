// fuzz_pair_tanh: a test of campaigns, two bugs of different classes in one kernel.
#include "pair_tanh.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(pair_tanh, ops::tanh().dtypes({f32}),
                [](const Launch& l) { pair_tanh(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
