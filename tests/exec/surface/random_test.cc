// <curand_kernel.h> as it is, where it is installed: Philox against its published known answers.
#include "kernel_case.h"
#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>

namespace warpfuzz::cpu {
namespace {

class Random123 : public SurfaceTest {};

TEST_F(Random123, PhiloxKnownAnswer) {
  uint4 first{};
  float low = 2, high = -1;
  run(1, 64, [&] {
    curandStatePhilox4_32_10_t state;
    curand_init(0, 0, 0, &state);
    if (threadIdx.x == 0) first = curand4(&state);
    curand_init(7, threadIdx.x, 0, &state);
    for (int i = 0; i < 10; ++i) {
      const float u = curand_uniform(&state);
      low = fminf(low, u), high = fmaxf(high, u);
    }
  });
  EXPECT_EQ(first.x, 0x6627e8d5u);
  EXPECT_EQ(first.y, 0xe169c58du);
  EXPECT_EQ(first.z, 0xbc57ac4cu);
  EXPECT_EQ(first.w, 0x9b00dbd8u);
  EXPECT_GT(low, 0.0f);
  EXPECT_LT(low, 0.05f);
  EXPECT_LE(high, 1.0f);
  EXPECT_GT(high, 0.95f);
}

}  // namespace
}  // namespace warpfuzz::cpu
#endif
