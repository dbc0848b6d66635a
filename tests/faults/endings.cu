// A copy with seven ways to launch it, of which the dtype says what some come to: for tests of what a campaign does about cases that
// end the process or that cannot be run.
#include <cuda_runtime.h>

#include <cstdlib>
#include <type_traits>

template <class T>
__global__ void copy_all(const T* x, T* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}

template <class T>
__global__ void copy_beyond(const T* x, T* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i + 64];  // out of bounds
}

template <class T>
cudaError_t cooperative(const T* x, T* y, int n) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, copy_all<T>, x, y, n);
}

// fp32: path 3 is cooperative, and path 4 too, whose errors end the process. fp16: every path is cooperative. bf16: path 5 reads
// out of bounds, path 6 is refused and then ends the process.
template <class T>
void endings(int path, const T* x, T* y, int n, cudaStream_t stream) {
  constexpr bool kSome = std::is_same_v<T, float>, kAll = std::is_same_v<T, __half>, kDies = !kSome && !kAll;
  if (kAll || (kSome && (path == 3 || path == 4))) {
    if (cooperative(x, y, n) != cudaSuccess && path == 4) std::exit(1);
    return;
  }
  if (kDies && path == 5) {
    copy_beyond<<<1, 64, 0, stream>>>(x, y, n);
  } else if (kDies && path == 6) {
    copy_all<<<1, 2048, 0, stream>>>(x, y, n);
    if (cudaGetLastError() != cudaSuccess) std::exit(1);
  } else {
    copy_all<<<1, 64, 0, stream>>>(x, y, n);
  }
}
