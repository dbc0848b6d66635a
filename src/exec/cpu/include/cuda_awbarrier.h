// Stands before the toolkit's <cuda_awbarrier.h>.
#error "warpfuzz: <cuda_awbarrier.h>: asynchronous barriers are not supported on the CPU executor; use the CUDA backend"
