// Stands before the toolkit's <mma.h>.
#error "warpfuzz: <mma.h>: wmma fragments (tensor cores) are not supported on the CPU executor; use the CUDA backend"
