// Constructs that the executor cannot run: one error line each, at the user's line, with the construct's name.
#include "compiler.h"

namespace warpfuzz {
namespace {

// Preprocess, then compile without the rewriter: its marks are macros here. What either step says.
Output build(const std::string& source) {
  SourceFolder folder;
  return run_command(kernel_flags() + "-DWARPFUZZ_NO_REWRITER -fsyntax-only -fno-caret-diagnostics " +
                     folder.write("kernel.cu", source));
}
Output preprocess(const std::string& source) {
  SourceFolder folder;
  return run_command(kernel_flags() + "-E -o /dev/null -fno-caret-diagnostics " + folder.write("kernel.cu", source));
}

std::vector<std::string> error_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find("error: ") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

void expect_one_error(const Output& out, const std::string& place, const std::string& what) {
  EXPECT_NE(out.status, 0);
  const auto lines = error_lines(out.text);
  ASSERT_EQ(lines.size(), 1u) << out.text;
  EXPECT_THAT(lines[0], ::testing::AllOf(::testing::HasSubstr(place), ::testing::HasSubstr("warpfuzz: "),
                                         ::testing::HasSubstr(what)));
}

TEST(Errors, AnOrdinaryKernelBuilds) {
  const Output out = build(
      "#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n#include <cuda_fp16.h>\n#include <algorithm>\n#include <memory>\n#include <cassert>\n"
      "__constant__ float scale[2];\n"
      "__global__ void __launch_bounds__(256) k(float* __restrict__ y, const __half* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n#pragma unroll 4\n  for (int j = i; j < n; j += 4) y[j] = __half2float(x[j]) * scale[j & 1];\n"
      "  assert(n > 0);\n  __builtin_assume(n > 0);\n  if (i == 0) printf(\"%d\\n\", max(n, 1));\n}\n"
      "__noinline__ __device__ float f(float x) { return rsqrtf(x); }\n__forceinline__ __host__ __device__ float g(float x) { return f(x); }\n"
      "std::shared_ptr<int> after = std::make_shared<int>(1);\n");
  EXPECT_EQ(out.status, 0) << out.text;
  EXPECT_EQ(out.text, "");
}

TEST(Errors, Textures) {
  expect_one_error(
      build(
          "#include <cuda_runtime.h>\n__global__ void k(float* y, cudaTextureObject_t t) {\n  y[0] = tex2D<float>(t, 1.0f, 2.0f);\n}\n"),
      "kernel.cu:3:", "texture fetches are not supported");
  expect_one_error(build("\ntexture<float, 2> t;\n"), "kernel.cu:2:", "texture references are not supported");
  expect_one_error(build("void f(cudaSurfaceObject_t s) {\n  float v;\n  surf2Dread(&v, s, 0, 0);\n}\n"),
                   "kernel.cu:3:", "surface accesses are not supported");
  expect_one_error(build("void f(cudaTextureObject_t* t) { cudaCreateTextureObject(t, nullptr, nullptr, nullptr); }\n"),
                   "kernel.cu:1:", "textures are not supported");
}
TEST(Errors, GraphsAndArrays) {
  expect_one_error(build("void f(cudaGraph_t* g) {\n  cudaGraphCreate(g, 0);\n}\n"),
                   "kernel.cu:2:", "CUDA graphs are not supported");
  expect_one_error(build("void f(cudaStream_t s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }\n"),
                   "kernel.cu:1:", "CUDA graphs are not supported");
  expect_one_error(build("void f(cudaArray_t* a, cudaChannelFormatDesc* d) { cudaMallocArray(a, d, 4, 4); }\n"),
                   "kernel.cu:1:", "CUDA arrays are not supported");
}
TEST(Errors, CooperativeLaunchesAndClusters) {
  expect_one_error(
      build("__global__ void k() {}\nvoid f(void** a) {\n  cudaLaunchCooperativeKernel(k, dim3(1), dim3(1), a);\n}\n"),
      "kernel.cu:3:", "cooperative launches are not supported");
  expect_one_error(
      build("#include <cooperative_groups.h>\n__global__ void k() {\n  cooperative_groups::this_grid().sync();\n}\n"),
      "kernel.cu:3:", "grid.sync() (cooperative launches) is not supported");
  expect_one_error(
      build(
          "#include <cooperative_groups.h>\n__global__ void k() {\n  auto c = cooperative_groups::this_cluster();\n}\n"),
      "kernel.cu:3:", "thread block clusters");
  expect_one_error(preprocess("\n__global__ void __cluster_dims__(2, 1, 1) k() {}\n"),
                   "kernel.cu:2:", "__cluster_dims__");
  expect_one_error(build("__global__ void k() {\n  __cluster_barrier_arrive();\n}\n"),
                   "kernel.cu:2:", "thread block clusters are not supported");
  expect_one_error(
      build(
          "#include <cooperative_groups.h>\n__global__ void k() {\n  auto t = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());\n}\n"),
      "", "tiles of more than a warp");
}
TEST(Errors, VotesThatAreGone) {
  expect_one_error(build("__global__ void k(int* p) { *p = __shfl_xor(*p, 1); }\n"),
                   "kernel.cu:1:", "use __shfl_xor_sync");
  expect_one_error(build("__global__ void k(int* p) { *p = __any(*p); }\n"), "kernel.cu:1:", "use __any_sync");
}

// Already the preprocessor stops, so that nothing else is printed.
TEST(Errors, Headers) {
  const std::pair<const char*, const char*> headers[] = {{"mma.h", "wmma"},
                                                         {"cuda_pipeline.h", "cp.async"},
                                                         {"cuda/pipeline", "cp.async"},
                                                         {"cuda/barrier", "asynchronous barriers"},
                                                         {"cooperative_groups/memcpy_async.h", "cp.async"},
                                                         {"cub/cub.cuh", "cub is"},
                                                         {"cutlass/cutlass.h", "cutlass is"}};
  for (const auto& [header, what] : headers) {
    const Output out = preprocess(std::string("\n#include <") + header + ">\n");
    expect_one_error(out, header, what);
    EXPECT_THAT(out.text, ::testing::HasSubstr("kernel.cu:2:")) << "where it is included";
  }
}

}  // namespace
}  // namespace warpfuzz
