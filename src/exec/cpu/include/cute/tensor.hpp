// Stands before the toolkit's <cute/tensor.hpp>.
#error "warpfuzz: <cute/tensor.hpp>: cute is not supported on the CPU executor; use the CUDA backend"
