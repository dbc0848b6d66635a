// The runtime API as launchers use it: memory, copies, symbols, streams, events, the device, errors.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Runtime : public SurfaceTest {};

TEST_F(Runtime, AllocationsBelongToTheCase) {
  float *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr, *e = nullptr;
  EXPECT_EQ(cudaMalloc(&a, 64), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&b, 64, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocHost(&c, 64), cudaSuccess);
  EXPECT_EQ(cudaMallocManaged(&d, 64), cudaSuccess);
  EXPECT_EQ(cudaHostAlloc(&e, 64, 0), cudaSuccess);
  for (float* p : {a, b, c, d, e}) {
    EXPECT_TRUE(device_range(p, 64));
    EXPECT_FALSE(device_range(p, 65));
    EXPECT_TRUE(std::isnan(p[0])) << "fresh memory is poison";
  }
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(b, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(c), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_NE(cudaFree(a), cudaSuccess) << "twice";
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
  const ExecStatus end = end_case();
  EXPECT_EQ(end.leaked_bytes, 128u);
  begin_case({}, 0, false);
}
TEST_F(Runtime, AllocationLimits) {
  void* p = this;
  EXPECT_EQ(cudaMalloc(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaMalloc(&p, std::size_t(1) << 40), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  std::size_t pitch = 0;
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, 100, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  EXPECT_TRUE(device_range(p, 3 * 512));
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST_F(Runtime, CopiesAndFills) {
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  int *d, *e;
  ASSERT_EQ(cudaMalloc(&d, sizeof host), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&e, sizeof host), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(e, d, sizeof host, cudaMemcpyDeviceToDevice, 0), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, e, sizeof host, cudaMemcpyDefault), cudaSuccess);
  EXPECT_THAT(back, ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(cudaMemset(d, 0xff, sizeof host), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(d + 1, 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, d, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(back, ::testing::ElementsAre(-1, 0, 0, -1));
  EXPECT_EQ(cudaMemcpy(back, d, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(back, d, 4, cudaMemcpyKind(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(status().fault, FaultClass::none);
  cudaFree(d), cudaFree(e);
}
TEST_F(Runtime, CopiesOfRows) {
  char host[3][4] = {{1, 2, 3, 0}, {4, 5, 6, 0}, {7, 8, 9, 0}}, back[3][3] = {};
  char* d;
  std::size_t pitch;
  ASSERT_EQ(cudaMallocPitch(&d, &pitch, 3, 3), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(d, pitch, 0, 3, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(d, pitch, host, 4, 3, 3, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(d[pitch + 1], 5);
  EXPECT_EQ(cudaMemcpy2DAsync(back, 3, d, pitch, 3, 3, cudaMemcpyDeviceToHost, 0), cudaSuccess);
  EXPECT_EQ(back[2][0], 7);
  EXPECT_EQ(cudaMemcpy2D(d, 2, host, 4, 3, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  cudaFree(d);
}

TEST_F(Runtime, ACopyPastTheEndIsAFault) {
  float host[20] = {};
  float* d;
  ASSERT_EQ(cudaMalloc(&d, 10 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d, host, 11 * sizeof(float), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(status().fault, FaultClass::oob_write);
  EXPECT_THAT(status().message, ::testing::AllOf(::testing::HasSubstr("cudaMemcpy writes past the end"),
                                                 ::testing::HasSubstr("40 of 44 bytes")));
  end_case();
  begin_case({}, 0, false);
  ASSERT_EQ(cudaMalloc(&d, 10 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, d + 8, 3 * sizeof(float), cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(status().fault, FaultClass::oob_read);
  end_case();
  begin_case({}, 0, false);
  ASSERT_EQ(cudaMalloc(&d, 10 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(cudaMemset(d, 0, 41), cudaErrorInvalidValue);
  EXPECT_EQ(status().fault, FaultClass::oob_write);
}

__constant__ float coefficients[4];
__device__ int counter;
TEST_F(Runtime, Symbols) {
  const float values[4] = {1, 2, 3, 4};
  float back[2];
  EXPECT_EQ(cudaMemcpyToSymbol(coefficients, values, sizeof values), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(back, coefficients, sizeof back, 2 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(back[0] * 10 + back[1], 34.0f);
  int* address = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(cudaGetSymbolAddress(&address, counter), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolSize(&size, coefficients), cudaSuccess);
  EXPECT_EQ(size, sizeof values);
  *address = 5;
  run(1, 4, [] { atomicAdd(&counter, int(coefficients[threadIdx.x])); });
  EXPECT_EQ(counter, 15);
  EXPECT_EQ(status().fault, FaultClass::none);
  EXPECT_EQ(cudaMemcpyToSymbol(coefficients, values, sizeof values, 4), cudaErrorInvalidValue);
  EXPECT_EQ(status().fault, FaultClass::oob_write);
  EXPECT_THAT(status().message, ::testing::HasSubstr("bytes 4 to 20 of a symbol of 16 bytes"));
}

TEST_F(Runtime, StreamsAndEvents) {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&start), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&stop, cudaEventDisableTiming), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle) << "not recorded";
  EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
  launch_kernel(launch_config(1, 1, 0, stream), "k", nullptr, [] {});
  EXPECT_EQ(cudaEventRecord(stop, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);
  EXPECT_GT(ms, 0.0f);
  EXPECT_LT(ms, 1.0f);
  int called = 0;
  EXPECT_EQ(cudaLaunchHostFunc(stream, [](void* p) { ++*static_cast<int*>(p); }, &called), cudaSuccess);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(cudaStreamWaitEvent(stream, stop, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Runtime, TheDevice) {
  int count = 0, device = -1, value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  cudaDeviceProp p;
  EXPECT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.major * 10 + p.minor, 90);
  EXPECT_EQ(p.multiProcessorCount, 132);
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.sharedMemPerBlock, 49152u);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(p.maxGridSize[1], 65535);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(value, 232448);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDeviceAttr(0), 0), cudaErrorInvalidValue);
  cudaGetLastError();
  std::size_t free_bytes = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  EXPECT_GT(free_bytes, std::size_t(1) << 30);
}

TEST_F(Runtime, Errors) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cudaError_t(12345)), "unrecognized error code");
  run(1, 1025, [] {});
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a refused launch leaves no sticky error";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}
TEST_F(Runtime, AfterAFaultNothingRuns) {
  int *d, host = 7;
  ASSERT_EQ(cudaMalloc(&d, sizeof(int)), cudaSuccess);
  run(1, 1, [] { __trap(); });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaMemcpy(&host, d, sizeof(int), cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
  EXPECT_EQ(host, 7);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), cudaErrorLaunchFailure);
}

}  // namespace
}  // namespace warpfuzz::cpu
