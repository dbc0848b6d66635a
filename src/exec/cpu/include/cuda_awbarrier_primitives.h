// Stands before the toolkit's <cuda_awbarrier_primitives.h>.
#error \
    "warpfuzz: <cuda_awbarrier_primitives.h>: asynchronous barriers are not supported on the CPU executor; use the CUDA backend"
