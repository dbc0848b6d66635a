// fuzz_no_launcher: a target whose author forgot the launcher.
#include "copy.cuh"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(no_launcher, ops::relu().dtypes({f32}));
