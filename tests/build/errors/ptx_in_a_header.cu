// expect ptx_in_a_header.cuh 3: warpfuzz: inline PTX (asm) is not supported by the CPU executor
#include "ptx_in_a_header.cuh"
