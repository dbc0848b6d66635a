// A header of the user's: its own line is named.
#pragma once
__device__ inline void stop() { asm("trap;"); }
