// Launches as the rewriter and as the runtime API make them; the attributes of kernels; occupancy.
#include "exec/cpu/surface/internal.h"
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Launches : public SurfaceTest {};

__global__ void fill(float* out, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value + float(n--);  // a parameter is the thread's own copy
}
__global__ void uses_dynamic(int* out) {
  int* const s = dynamic_shared<int>();
  s[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = s[blockDim.x - 1];
}

TEST_F(Launches, ArgumentsAreConvertedOnceAndCopiedForEachThread) {
  float* const out = static_cast<float*>(device_alloc(10 * sizeof(float)));
  kernel_call("fill", &fill, launch_config(3, 4))(out, 10l, 2);  // long to int, int to float
  for (int i = 0; i < 10; ++i) EXPECT_EQ(out[i], 12.0f);
  kernel_call("fill", &fill, launch_config({2}, {8}, 0, nullptr))(0, {},
                                                                  {});  // null pointer, no elements: nothing is written
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(status().launches.size(), 2u);
  EXPECT_EQ(status().launches[0].kernel, "fill");
  EXPECT_EQ(status().launches[0].grid[0], 3u);
  EXPECT_EQ(status().launches[0].block[0], 4u);
  device_free(out);
}

TEST_F(Launches, DynamicSharedMemoryNeedsItsAttribute) {
  int* const out = static_cast<int*>(device_alloc(sizeof(int)));
  *out = -1;
  const std::size_t bytes = 100 * 1024;
  kernel_call("uses_dynamic", &uses_dynamic, launch_config(1, 64, bytes))(out);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(*out, -1) << "a refused launch runs nothing";
  EXPECT_EQ(status().fault, FaultClass::launch);
  end_case();
  begin_case({}, 0, false);
  int* const again = static_cast<int*>(device_alloc(sizeof(int)));
  EXPECT_EQ(cudaFuncSetAttribute(uses_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), cudaSuccess);
  kernel_call("uses_dynamic", &uses_dynamic, launch_config(1, 64, bytes))(again);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(*again, 63);
  EXPECT_EQ(max_dynamic_shared(nullptr), bytes) << "a kernel that cannot be named gets the largest opt-in";
  EXPECT_EQ(max_dynamic_shared(reinterpret_cast<const void*>(&fill)), 48u * 1024);
  device_free(again);
}
TEST_F(Launches, AttributesAreChecked) {
  EXPECT_EQ(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 50), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute((const void*)nullptr, cudaFuncAttributePreferredSharedMemoryCarveout, 50),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1), cudaSuccess);
  cudaFuncAttributes a;
  EXPECT_EQ(cudaFuncGetAttributes(&a, fill), cudaSuccess);
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  EXPECT_EQ(a.maxDynamicSharedSizeBytes, 227 * 1024);
  EXPECT_EQ(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 0), cudaSuccess);
}

TEST_F(Launches, ByThePointersOfTheRuntimeApi) {
  float* out = static_cast<float*>(device_alloc(4 * sizeof(float)));
  int n = 4;
  float value = 1.5f;
  void* args[] = {&out, &n, &value};
  EXPECT_EQ(cudaLaunchKernel(fill, dim3(1), dim3(4), args, 0, 0), cudaSuccess);
  EXPECT_EQ(out[3], 5.5f);
  cudaLaunchConfig_t config{};
  config.gridDim = 1, config.blockDim = 4;
  EXPECT_EQ(cudaLaunchKernelEx(&config, fill, out, 4, 2.5f), cudaSuccess);
  EXPECT_EQ(out[0], 6.5f);
  EXPECT_EQ(cudaLaunchKernel(fill, dim3(1), dim3(2000), args, 0, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  device_free(out);
}
TEST_F(Launches, UntypedKernelsAreReportedAsUnsupported) {
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(&fill), dim3(1), dim3(4), nullptr, 0, 0),
            cudaErrorNotSupported);
  EXPECT_EQ(status().fault, FaultClass::unsupported);
  EXPECT_THAT(status().message, ::testing::HasSubstr("cudaLaunchKernel"));
  EXPECT_TRUE(status().launches.empty());
}

TEST_F(Launches, ClustersAreReportedAsUnsupported) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cudaLaunchConfig_t config{};
  config.gridDim = 1, config.blockDim = 4, config.attrs = &cluster, config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, fill, static_cast<float*>(nullptr), 0, 0.0f), cudaErrorNotSupported);
  EXPECT_EQ(status().fault, FaultClass::unsupported);
  EXPECT_THAT(status().message, ::testing::HasSubstr("cluster"));
  EXPECT_TRUE(status().launches.empty());
}

TEST_F(Launches, Occupancy) {
  int blocks = 0, size = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 33, 0), cudaSuccess);
  EXPECT_EQ(blocks, 32);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 128, 47 * 1024), cudaSuccess);
  EXPECT_EQ(blocks, 4);
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fill, 0, 0), cudaSuccess);
  EXPECT_EQ(size, 1024);
  EXPECT_EQ(blocks, 2 * 132);
}

}  // namespace
}  // namespace warpfuzz::cpu
