// A case with kernels for the surface's tests: run(grid, block, body) launches body() as one thread.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cpu/case.h"

namespace warpfuzz::cpu {

class SurfaceTest : public ::testing::Test {
 protected:
  SurfaceTest() { begin_case({}, 0, false); }
  ~SurfaceTest() override { end_case(); }
  const ExecStatus& status() const { return current_case().status; }
};

template <class Body>
void run(dim3 grid, dim3 block, Body&& body, std::size_t shared = 0) {
  launch_kernel(launch_config(grid, block, shared), "test_kernel", nullptr, body);
}

// A small generator of test values: the same everywhere.
struct Random {
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  std::uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
  }
};

}  // namespace warpfuzz::cpu
