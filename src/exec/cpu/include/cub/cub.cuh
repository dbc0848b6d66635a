// Stands before the toolkit's <cub/cub.cuh>.
#error "warpfuzz: <cub/cub.cuh>: cub is not supported on the CPU executor; use the CUDA backend"
