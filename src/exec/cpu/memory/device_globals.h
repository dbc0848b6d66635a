// __device__, __constant__ and __managed__ variables of the program: two sections that the rewriter puts them into.
#pragma once
#include <cstddef>

namespace warpfuzz::cpu {

struct DeviceGlobals {
  char* begin = nullptr;
  std::size_t size = 0;
};
DeviceGlobals device_globals();  // without the managed ones, which host code may touch

// Every case starts from their initial values.
void snapshot_device_globals();
void restore_device_globals();

}  // namespace warpfuzz::cpu
