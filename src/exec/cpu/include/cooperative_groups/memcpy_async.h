// Stands before the toolkit's <cooperative_groups/memcpy_async.h>.
#error \
    "warpfuzz: <cooperative_groups/memcpy_async.h>: asynchronous copies to shared memory (cp.async) are not supported on the CPU executor; use the CUDA backend"
