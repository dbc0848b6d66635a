// Stands before the toolkit's <cub/block/block_scan.cuh>.
#error "warpfuzz: <cub/block/block_scan.cuh>: cub is not supported on the CPU executor; use the CUDA backend"
