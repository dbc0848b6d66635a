// expect 2: 'not_there.cuh' file not found
#include "not_there.cuh"
