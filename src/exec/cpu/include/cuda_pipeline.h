// Stands before the toolkit's <cuda_pipeline.h>.
#error \
    "warpfuzz: <cuda_pipeline.h>: asynchronous copies to shared memory (cp.async) are not supported on the CPU executor; use the CUDA backend"
