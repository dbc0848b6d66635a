// What FAST_MATH changes in a kernel on the CPU executor: this source is built once with it and once without.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace {

#ifdef WITH_FAST_MATH
constexpr bool kFast = true;
#else
constexpr bool kFast = false;
#endif

__global__ void silu(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.0f + expf(-x[i]));
}
__global__ void exponentials(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = std::exp(x[i]);
}
__global__ void others(float* y) {
  y[0] = powf(-2.0f, 2.0f);
  y[1] = sqrtf(1e-40f);
  y[2] = logf(1e-40f);
  y[3] = logf(3.0f);
}

std::vector<float> arguments() {
  std::vector<float> x;
  for (int i = 0; i < 200; ++i) x.push_back(-20.0f + 0.2f * i);
  return x;
}

std::uint32_t bits(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

// Arguments for which the kernel's result is not the correctly rounded one.
template <class Exact>
int differing(const std::vector<float>& x, const std::vector<float>& y, Exact exact) {
  int n = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    n += bits(y[i]) != bits(static_cast<float>(exact(static_cast<double>(x[i]))));
  return n;
}

TEST(FastMath, TheArgumentOfAnExponentialIsRoundedInFp32) {
  const std::vector<float> x = arguments();
  std::vector<float> y(x.size());
  exponentials<<<1, 256>>>(x.data(), y.data(), static_cast<int>(x.size()));
  const int n = differing(x, y, [](double v) { return std::exp(v); });
  if (kFast) EXPECT_GT(n, 100);
  else EXPECT_LT(n, 10);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float formula = static_cast<float>(std::exp2(static_cast<double>(x[i] * 1.44269504f)));
    if (kFast) EXPECT_NEAR(y[i] / formula, 1.0, 2e-7) << x[i];
    EXPECT_NEAR(y[i] / std::exp(static_cast<double>(x[i])), 1.0, 5e-6) << x[i];
  }
}

TEST(FastMath, AKernelDiffersInItsBitsAsDocumented) {
  const std::vector<float> x = arguments();
  std::vector<float> y(x.size());
  silu<<<1, 256>>>(x.data(), y.data(), static_cast<int>(x.size()));
  int n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float e = static_cast<float>(std::exp(static_cast<double>(-x[i])));
    n += bits(y[i]) != bits(x[i] / (1.0f + e));
  }
  if (kFast) EXPECT_GT(n, 20);
  else EXPECT_LT(n, 10);
}

TEST(FastMath, NegativeBasesAndSubnormals) {
  std::vector<float> y(4);
  others<<<1, 1>>>(y.data());
  if (kFast) {
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], 0.0f);
    EXPECT_EQ(y[2], -INFINITY);
  } else {
    EXPECT_EQ(y[0], 4.0f);
    EXPECT_GT(y[1], 0.0f);
    EXPECT_LT(y[2], -92.0f);
    EXPECT_GT(y[2], -93.0f);
  }
  EXPECT_NEAR(y[3], 1.0986123, 3e-7);
}

}  // namespace
