// Stands before the toolkit's <cub/warp/warp_reduce.cuh>.
#error "warpfuzz: <cub/warp/warp_reduce.cuh>: cub is not supported on the CPU executor; use the CUDA backend"
