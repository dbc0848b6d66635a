// Stands before the toolkit's <cutlass/cutlass.h>.
#error "warpfuzz: <cutlass/cutlass.h>: cutlass is not supported on the CPU executor; use the CUDA backend"
