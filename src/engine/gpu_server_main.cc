// The main of a target's checked and plain builds: they serve a GPU and do nothing else.
#include <cstdlib>

#include "engine/run_gpu_server.h"

int main(int argc, char** argv) { std::_Exit(warpfuzz::run_gpu_server({argv + 1, argv + argc})); }
