// One kernel a fault class, each wrong in one line, marked with the word FAULT; the test expects that line in the report.
// The kernel's name is in the bucket key where the class has a place.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

constexpr int kThreads = 64;

__global__ void copy_right(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}

__global__ void read_past_end(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 0.0f * x[i + 1] + x[i];  // FAULT
}

__global__ void write_past_end(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i <= n; i += blockDim.x) {
    const float v = i < n ? x[i] : 0.0f;
    y[i] = v;  // FAULT
  }
}

__global__ void write_before_start(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
  if (threadIdx.x == 0) y[-1] = 0.0f;  // FAULT
}

__global__ void write_past_static_shared(const float* x, float* y, int n) {
  __shared__ float tile[kThreads];
  __shared__ float other[kThreads];
  other[threadIdx.x] = 0.0f;
  tile[threadIdx.x + (n > 0)] = 1.0f;  // FAULT
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * tile[1] + other[0];
}

__global__ void read_past_dynamic_shared(const float* x, float* y, int n) {
  extern __shared__ float dynamic_tile[];
  dynamic_tile[threadIdx.x] = 1.0f;
  __syncthreads();
  const float next = dynamic_tile[threadIdx.x + 1];  // FAULT
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * next;
}

__global__ void write_past_local_array(const float* x, float* y, int n) {
  float local[4];
  for (int k = 0; k < 4 + (n > 0); k++) local[k] = x[k % n];  // FAULT
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + 0.0f * local[i & 3];
}

__global__ void read_null(const float* x, float* y, int n, const float* nothing) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + nothing[0];  // FAULT
}

__global__ void load_misaligned_vector(const float* x, float* y, int n) {
  if (n >= 5 && threadIdx.x == 0) {
    const float4 v = *reinterpret_cast<const float4*>(x + 1);  // FAULT
    y[1] = v.x + v.y + v.z + v.w;                              // all four: a compiler reads only what is used
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}

__global__ void meet_different_barriers(const float* x, float* y, int n) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();  // FAULT
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}

__global__ void shuffle_with_absent_lanes(const float* x, float* y, int n) {
  float v = 0.0f;
  if (threadIdx.x % 32 >= 16) return;
  v = __shfl_xor_sync(0xffffffffu, v, 1);  // FAULT
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + v;
}

__global__ void fail_an_assertion(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = x[i];
    assert(i + 1 < n);  // FAULT
  }
}

__global__ void divide_by_zero(const float* x, float* y, int n, int zero) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i % zero] = x[i];  // FAULT
}

__global__ void loop_for_ever(const float* x, float* y, int n) {
  volatile int go = 1;
  while (go) {  // FAULT
    go = n > 0;
  }
  y[0] = x[0];
}

__global__ void leave_the_last_unwritten(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x) y[i] = x[i];
}

__global__ void change_the_input(float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
  if (threadIdx.x == 0) x[n - 1] = 12345.0f;
}

// Threads run one after another in the base run, so that a neighbour below has always written; in another order not.
__global__ void miss_a_barrier(const float* x, float* y, int n) {
  __shared__ float tile[kThreads];
  if (threadIdx.x == 0) tile[0] = 1.0f;
  const float one = tile[0];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * one;
}

__global__ void read_uninitialised_shared(const float* x, float* y, int n) {
  __shared__ float tile[kThreads];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + tile[threadIdx.x];
}

// Right on its first call: the counter is not reset. It is restored between cases, not between the calls of one.
__device__ int times_called = 0;
__global__ void keep_state_between_calls(const float* x, float* y, int n) {
  const int before = times_called;
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = before ? 0.5f : x[i];
  __syncthreads();
  if (threadIdx.x == 0) times_called = before + 1;
}

__global__ void overflow_the_stack(const float* x, float* y, int n) {
  float large[1 << 17];
  for (int k = 0; k < (1 << 17); k++) large[k] = x[k % n];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = large[i];
}

__device__ int flag_word = 0;
__global__ void spin_on_an_atomic(const float* x, float* y, int n) {
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag_word, 0) == 0) {  // FAULT
    }
  } else {
    atomicExch(&flag_word, 1);
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}

// The two below use a local variable that nobody has set. The optimiser must not make an error of another kind of it.
__global__ void add_to_an_unset_sum(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float sum;
    sum += x[i];
    y[i] = sum;
  }
}

// An unset bf16 of -3e-13 would be lost in the sum.
__global__ void add_unset_halves(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    __nv_bfloat16 one;
    __nv_bfloat16 many[64];
    y[i] = x[i] + (i % 2 ? __bfloat162float(one) : __bfloat162float(many[i % 64]));
  }
}

__global__ void use_an_unset_index(const float* x, float* y, int n) {
  int at;
  if (n < 0) at = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + 0.0f * x[at + i];  // FAULT
}

// Both ends of a large workspace and its poisoned middle.
__global__ void use_large_workspace(const float* x, float* y, int n, float* work, size_t elements) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    work[i] = x[i];
    work[elements - 1 - i] = 1.0f;
    const bool written = work[elements / 2 + i] == 0.0f;
    y[i] = written ? 12345.0f : work[i] * work[elements - 1 - i];
  }
}

__global__ void write_past_large_workspace(const float* x, float* y, int n, float* work, size_t elements) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
  if (threadIdx.x == 0) work[elements] = 1.0f;  // FAULT
}

__device__ int device_number = 7;
__managed__ int managed_number = 7;

// What host code may touch, and copies of what it may not: no fault.
inline void use_host_memory(const float* x, float* y, int n, cudaStream_t stream) {
  float *managed = nullptr, *pinned = nullptr, *device = nullptr, own[256];
  int number = 0;
  cudaMallocManaged(&managed, n * sizeof(float));
  cudaHostAlloc(reinterpret_cast<void**>(&pinned), n * sizeof(float), cudaHostAllocDefault);
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(own, x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&number, device_number, sizeof number);
  for (int i = 0; i < n; ++i) pinned[i] = managed[i] = own[i] + number - managed_number;
  cudaMemcpy(device, pinned, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, n * sizeof(float));
  copy_right<<<1, kThreads, 0, stream>>>(device, managed, n);
  cudaMemcpy(y, managed, n * sizeof(float), cudaMemcpyDefault);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFree(device);
}

// Segmentation faults where there is a GPU.
inline void touch_device_memory(int how, float* x, float* y, int n) {
  int* number = nullptr;
  float* device = nullptr;
  std::size_t bytes = n * sizeof(float);
  switch (how) {
    case 0: y[n - 1] = 0.0f; break;      // HOST 0
    case 1: memcpy(y, x, bytes); break;  // HOST 1
    case 2:
      cudaMalloc(&device, bytes);
      std::fill(device, device + n, 0.0f);  // HOST 2
      break;
    case 3:
      cudaGetSymbolAddress(reinterpret_cast<void**>(&number), device_number);
      *number = 0;  // HOST 3
      break;
  }
}

static volatile int zero_at_run_time = 0;

// The launcher; `which` counts the kernels from the top.
inline void fault_zoo(int which, float* x, float* y, int n, cudaStream_t stream) {
  switch (which) {
    case 0: copy_right<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 1: read_past_end<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 2: write_past_end<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 3: write_before_start<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 4: write_past_static_shared<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 5: read_past_dynamic_shared<<<1, kThreads, kThreads * sizeof(float), stream>>>(x, y, n); break;
    case 6: write_past_local_array<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 7: read_null<<<1, kThreads, 0, stream>>>(x, y, n, nullptr); break;
    case 8: load_misaligned_vector<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 9: meet_different_barriers<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 10: shuffle_with_absent_lanes<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 11: fail_an_assertion<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 12: divide_by_zero<<<1, kThreads, 0, stream>>>(x, y, n, zero_at_run_time); break;
    case 13: loop_for_ever<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 14: leave_the_last_unwritten<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 15: change_the_input<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 16: miss_a_barrier<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 17: read_uninitialised_shared<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 18: keep_state_between_calls<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 19: overflow_the_stack<<<1, 1, 0, stream>>>(x, y, n); break;
    case 20: spin_on_an_atomic<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 21: copy_right<<<1, 1025, 0, stream>>>(x, y, n); break;
    case 22: copy_right<<<1, kThreads, 49 * 1024, stream>>>(x, y, n); break;
    case 23: copy_right<<<dim3(1, 65536), kThreads, 0, stream>>>(x, y, n); break;
    case 24:  // a launcher that checks for errors, and ends the process
      copy_right<<<1, 2000, 0, stream>>>(x, y, n);
      if (cudaGetLastError() != cudaSuccess) std::exit(1);
      break;
    case 25:
      fail_an_assertion<<<1, kThreads, 0, stream>>>(x, y, n);
      if (cudaDeviceSynchronize() != cudaSuccess) std::abort();
      break;
    case 26: std::exit(3);
    case 27: {
      void* never_freed = nullptr;
      cudaMalloc(&never_freed, 16);
      copy_right<<<1, kThreads, 0, stream>>>(x, y, n);
      break;
    }
    case 28: add_to_an_unset_sum<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 29: use_an_unset_index<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 30:  // host code that waits for what never comes
      for (;;) {
        timespec pause{1, 0};
        nanosleep(&pause, nullptr);  // WAITS
      }
    case 31:  // right: what is not used of 2.3 GB and 79 GB costs nothing, and 80 GB are all that there is
      for (const size_t bytes : {size_t{2300000004}, size_t{79} << 30}) {
        float* work = nullptr;
        void* more = nullptr;
        if (cudaMalloc(&work, bytes) != cudaSuccess) break;
        if (cudaMalloc(&more, size_t{79} << 30) != cudaErrorMemoryAllocation) break;
        use_large_workspace<<<1, kThreads, 0, stream>>>(x, y, n, work, bytes / sizeof(float));
        cudaFree(work);
      }
      break;
    case 32: {
      float* work = nullptr;
      cudaMalloc(&work, 2300000004);
      write_past_large_workspace<<<1, kThreads, 0, stream>>>(x, y, n, work, 2300000004 / sizeof(float));
      break;
    }
    case 33: use_host_memory(x, y, n, stream); break;
    case 34:
    case 35:
    case 36:
    case 37:
      touch_device_memory(which - 34, x, y, n);
      copy_right<<<1, kThreads, 0, stream>>>(x, y, n);
      break;
    case 38: add_unset_halves<<<1, kThreads, 0, stream>>>(x, y, n); break;
    case 40: {  // host code that writes behind a heap block
      float* block = new float[4];
      block[n + zero_at_run_time] = 1.0f;  // HOST
      delete[] block;
      break;
    }
  }
}
