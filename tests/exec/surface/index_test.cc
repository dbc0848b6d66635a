// threadIdx and its relatives: values, conversions, and names that users give to their own variables.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Index : public SurfaceTest {};

TEST_F(Index, AllThreadsOfAThreeDimensionalLaunch) {
  std::vector<int> seen(2 * 3 * 4 * 5 * 6 * 2, 0);
  run(dim3(2, 3, 4), dim3(5, 6, 2), [&] {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    ++seen[block * 60 + thread];
  });
  EXPECT_THAT(seen, ::testing::Each(1));
}

TEST_F(Index, ConvertToVectorTypes) {
  uint3 thread{}, block{};
  dim3 size, grid, from_thread;
  run(dim3(1, 1, 1), dim3(3, 2, 1), [&] {
    if (threadIdx.x != 2 || threadIdx.y != 1) return;
    thread = threadIdx, block = blockIdx, size = blockDim, grid = gridDim;
    from_thread = dim3(threadIdx);
  });
  EXPECT_EQ(thread.x, 2u);
  EXPECT_EQ(thread.y, 1u);
  EXPECT_EQ(block.x, 0u);
  EXPECT_EQ(size.x * 100 + size.y * 10 + size.z, 321u);
  EXPECT_EQ(grid.x, 1u);
  EXPECT_EQ(from_thread.x, 2u);
}

TEST_F(Index, AnInstanceKeepsNoValue) {
  int wrong = 0;
  run(1, 64, [&] {
    const auto& t = threadIdx;
    __syncthreads();
    wrong += t.x != threadIdx.x;
  });
  EXPECT_EQ(wrong, 0);
}

// Locals of these names are common in launchers.
TEST_F(Index, NamesCanBeReused) {
  dim3 gridDim(7, 1), blockDim(32);
  EXPECT_EQ(gridDim.x * blockDim.x, 224u);
  const auto with_parameter = [](int threadIdx) { return threadIdx + 1; };
  EXPECT_EQ(with_parameter(1), 2);
}

// Kept over a barrier by the compiler or read again: each thread sees its own.
TEST_F(Index, StaysTheThreadsOwnOverBarriers) {
  std::vector<unsigned> before(256), after(256);
  run(1, 256, [&] {
    const unsigned t = threadIdx.x;
    before[t] = t * 3;
    __syncthreads();
    after[threadIdx.x] = before[(t + 1) % 256];
  });
  for (unsigned t = 0; t < 256; ++t) EXPECT_EQ(after[t], (t + 1) % 256 * 3);
}

TEST_F(Index, WarpSizeIsAConstant) {
  static_assert(warpSize == 32);
  int lanes[warpSize] = {};
  EXPECT_EQ(sizeof lanes / sizeof lanes[0], 32u);
}

TEST_F(Index, ClockGrowsAndIsTheSameInEveryRun) {
  long long first[2], second[2];
  for (int i = 0; i < 2; ++i) {
    run(1, 1, [&] {
      first[i] = clock64();
      second[i] = clock();
    });
    EXPECT_LT(first[i], second[i]);
  }
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(second[0], second[1]);
  EXPECT_GE(std::clock(), 0);
}

TEST_F(Index, TrapIsAFaultWithItsPlace) {
  int line = 0, after = 0;
  run(1, 4, [&] {
    if (threadIdx.x == 3) {
      line = __LINE__ + 1;
      __trap();
    }
  });
  run(1, 1, [&] { ++after; });
  EXPECT_EQ(status().fault, FaultClass::assertion);
  EXPECT_EQ(status().place.line, line);
  EXPECT_EQ(status().place.thread[0], 3u);
  EXPECT_EQ(after, 0) << "the error is sticky";
}

TEST_F(Index, AssertIsAFaultWithItsExpression) {
  const int line = __LINE__ + 1;
  run(2, 8, [&] { assert(threadIdx.x < 5 && "small"); });
  EXPECT_EQ(status().fault, FaultClass::assertion);
  EXPECT_THAT(status().message, ::testing::HasSubstr("threadIdx.x < 5 && \"small\""));
  EXPECT_EQ(status().place.line, line);
  EXPECT_THAT(status().place.file, ::testing::HasSubstr("index_test.cc"));
  EXPECT_EQ(status().place.thread[0], 5u);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

using IndexDeath = Index;
TEST_F(IndexDeath, AssertOutsideKernelsEndsTheProcess) {
  EXPECT_DEATH(assert(1 + 1 == 3), "index_test.cc:.*1 \\+ 1 == 3");
}

}  // namespace
}  // namespace warpfuzz::cpu
