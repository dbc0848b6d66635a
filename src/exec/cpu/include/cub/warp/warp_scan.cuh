// Stands before the toolkit's <cub/warp/warp_scan.cuh>.
#error "warpfuzz: <cub/warp/warp_scan.cuh>: cub is not supported on the CPU executor; use the CUDA backend"
