// Stands before the toolkit's <thrust/device_vector.h>.
#error "warpfuzz: <thrust/device_vector.h>: thrust is not supported on the CPU executor; use the CUDA backend"
