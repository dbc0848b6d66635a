// Shared memory and device variables of every form, compiled by the pipeline and run by the executor.
#include <gtest/gtest.h>

#include <cmath>

#include "exec/cpu/case.h"

extern __shared__ float4 space_dynamic[];
__shared__ int space_static[4][2];
// Not in the unnamed namespace: the compiler would see that nobody writes them.
__device__ float table[5] = {1, 2, 3, 4, 5};
__constant__ float coefficients[3];

namespace {

__global__ void file_scope(float* out) {
  float* floats = reinterpret_cast<float*>(space_dynamic);
  floats[threadIdx.x] = threadIdx.x;
  space_static[threadIdx.x % 4][1] = 5;
  __syncthreads();
  auto read = [=](int i) { return space_static[i][1]; };
  out[threadIdx.x] = space_dynamic[threadIdx.x / 4].x + sizeof(space_static) + read(3);
}
__global__ void shadowed(float* out, int space_static) { out[0] = space_static; }
__global__ void shadowed_by_local(float* out) {
  int space_static = 3;
  out[0] = space_static;
}

__global__ void first(int* out) {
  __shared__ int same[8];
  same[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = same[7 - threadIdx.x];
}
__global__ void second(int* out) {
  __shared__ int same[8];
  out[threadIdx.x] = same[threadIdx.x];
}

template <class T>
__device__ T rotate(T v) {
  __shared__ T s[8];
  s[threadIdx.x] = v;
  __syncthreads();
  T r = s[(threadIdx.x + 1) % 8];
  __syncthreads();
  return r;
}
__global__ void instances(float* out) {
  const float f = rotate<float>(threadIdx.x);
  const double d = rotate<double>(100.0 + threadIdx.x);
  out[threadIdx.x] = f + static_cast<float>(d) + rotate(f);
}
template <class A, class B>
__global__ void two_instances(const void** out) {
  __shared__ A a[4];
  __shared__ B b[4];
  out[0] = a;
  out[1] = b;
}

struct Cell {
  float x;
  int y;
};
template <int T, class Traits>
__global__ void declarators(int* out, const void** addresses) {
  __shared__ float As[T][T], Bs[T][T + 1];
  __shared__ __align__(64) volatile unsigned char bytes[3];
  alignas(32) __shared__ half2 pair;
  static __shared__ struct {
    int a, b;
  } place, *where;
  __shared__ typename Traits::type element;
  float __shared__ late[2];
  __shared__ float (*function)(float), *(*rows)[T], **pointer;
  __shared__ Cell cells[2], one;
  __shared__ volatile int flag;
  __shared__ union {
    float f;
    unsigned u;
  } bits;
  if (threadIdx.x == 0) {
    place = {1, 2};
    where = &place;
    element = 3;
    function = fabsf;
    pointer = nullptr;
    rows = nullptr;
    cells[1] = {1.5f, 4};
    one = cells[1];
    flag = 5;
    bits.f = 1.0f;
    late[1] = 6;
    bytes[2] = 7;
    pair = __floats2half2_rn(1, 2);
    As[T - 1][T - 1] = Bs[T - 1][T] = 8;
    addresses[0] = const_cast<unsigned char*>(bytes);
    addresses[1] = &pair;
    addresses[2] = As;
    addresses[3] = Bs;
  }
  __syncthreads();
  out[threadIdx.x] = where->b + element + static_cast<int>(function(-1.0f)) + (pointer == nullptr) + (rows == nullptr) +
                     one.y + flag + (bits.u == 0x3f800000u) + static_cast<int>(late[1]) + bytes[2] +
                     static_cast<int>(__high2float(pair)) + static_cast<int>(As[T - 1][T - 1] + Bs[T - 1][T]) +
                     (sizeof As == T * T * 4) + (sizeof(Bs) / sizeof(Bs[0]) == T);
}
struct Traits {
  using type = long;
};

template <class A, class B>
struct Two {
  A a;
  B b;
};
template <int N>
__global__ void more_declarators(int* out) {
  volatile __shared__ float v[N > 4 ? N : 1];
  __shared__ Two<int, Two<float, int>> two[2];
  __shared__ alignas(alignof(float4)) unsigned char bytes[sizeof(float4) << 1];
  __shared__ const float* rows[2];
  __shared__ unsigned long long int wide;
  __attribute__((aligned(16))) __shared__ int first[3];
  [[maybe_unused]] __shared__ int unused;
  switch (N) {
    case 5: {
      __shared__ int inner;
      if (threadIdx.x == 0)
        inner = 1, wide = 2, two[1].b.b = 3, bytes[31] = 4, v[N - 1] = 5, first[2] = 6, rows[1] = nullptr;
      __syncthreads();
      *out = inner + static_cast<int>(wide) + two[1].b.b + bytes[31] + static_cast<int>(v[N - 1]) + first[2] +
             (rows[1] == nullptr);
    }
  }
}

template <class T>
__global__ void dynamic(T* out, int n) {
  extern __shared__ __align__(sizeof(double)) unsigned char raw[];
  T* typed = reinterpret_cast<T*>(raw);
  volatile T* again = (volatile T*)&raw;
  for (int i = threadIdx.x; i < n; i += blockDim.x) typed[i] = T(i);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = again[n - 1 - i];
}
__global__ void dynamic_volatile(int* out) {
  extern volatile __shared__ int s[];
  s[threadIdx.x] = 2;
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void stale(float* out) {
  __shared__ float s[2];
  if (blockIdx.x == 0) s[0] = 1;
  out[blockIdx.x] = s[0];
}

__device__ int counter = 40, other;
__constant__ float weights[3] = {1, 2, 3};
__constant__ const float fixed[2] = {4, 5};
static __device__ int* pointer;
__device__ __managed__ int managed = 1;
__device__ int (*chosen)(int);
namespace deep {
__device__ unsigned long long int braces{7};
__device__ float grid[2][2] = {{1, 2}, {3, 4}};
}  // namespace deep
template <class T>
__device__ T shared_by_type[2];
struct Owner {
  static __device__ int count;
};
__device__ int Owner::count = 3;
inline __device__ float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__global__ void more_globals(int* out) {
  Owner::count += 1;
  shared_by_type<int>[1] += 1;
  deep::grid[1][1] += 1;
  const float4 two = float4{1, 1, 1, 1} + float4{1, 1, 1, 1};
  out[0] = Owner::count + shared_by_type<int>[1] + static_cast<int>(deep::grid[1][1] + two.w + ++deep::braces);
}
__device__ int twice(int v) { return 2 * v; }
__global__ void globals(int* out) {
  pointer = &other;
  chosen = twice;
  *pointer += 2;
  managed += 1;
  out[0] = atomicAdd(&counter, 1) + other + managed + static_cast<int>(weights[2] + fixed[1]) + chosen(100);
}

__global__ void read_table(float* out, int i) { out[0] = table[i]; }
__global__ void read_coefficients(float* out, int i) { out[0] = coefficients[i]; }

class Shared : public ::testing::Test {
 protected:
  Shared() { warpfuzz::cpu::begin_case({}, 0, false); }
  ~Shared() override {
    EXPECT_EQ(warpfuzz::cpu::current_case().status.message, "");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    warpfuzz::cpu::end_case();
  }
};

TEST_F(Shared, AtFileScope) {
  float out[8];
  file_scope<<<1, 8, 8 * sizeof(float)>>>(out);
  EXPECT_EQ(out[0], 0 + 32 + 5);
  EXPECT_EQ(out[7], 4 + 32 + 5);
  shadowed<<<1, 1>>>(out, 9);
  EXPECT_EQ(out[0], 9);
  shadowed_by_local<<<1, 1>>>(out);
  EXPECT_EQ(out[0], 3);
}

TEST_F(Shared, SameNamesInTwoKernelsAreTwoArrays) {
  int a[8], b[8];
  first<<<1, 8>>>(a);
  EXPECT_EQ(a[3], 1);
  second<<<1, 8>>>(b);
  EXPECT_NE(b[3], 1);  // poison, not what the other kernel left
  const void *p[2], *q[2];
  two_instances<int, float><<<1, 1>>>(p);
  two_instances<float, int><<<1, 1>>>(q);
  EXPECT_NE(p[0], p[1]);
  EXPECT_NE(q[0], q[1]);
}

TEST_F(Shared, DeviceFunctionsAndInstances) {
  float out[8];
  instances<<<2, 8>>>(out);
  EXPECT_EQ(out[0], 1 + 101 + 2);
  EXPECT_EQ(out[7], 0 + 100 + 1);
}

TEST_F(Shared, Declarators) {
  int out[4];
  const void* at[4];
  declarators<3, Traits><<<1, 4>>>(out, at);
  const int expected = 2 + 3 + 1 + 1 + 1 + 4 + 5 + 1 + 6 + 7 + 2 + 16 + 1 + 1;
  EXPECT_EQ(out[3], expected);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at[0]) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at[1]) % 32, 0u);
  more_declarators<5><<<1, 3>>>(out);
  EXPECT_EQ(out[0], 22);
  EXPECT_GE(std::abs(static_cast<const char*>(at[2]) - static_cast<const char*>(at[3])), 36);
}

TEST_F(Shared, Dynamic) {
  double d[5];
  dynamic<double><<<1, 2, sizeof d>>>(d, 5);
  EXPECT_EQ(d[0], 4);
  float f[5];
  dynamic<float><<<1, 32, sizeof f>>>(f, 5);
  EXPECT_EQ(f[1], 3);
  int v[4];
  dynamic_volatile<<<1, 4, sizeof v>>>(v);
  EXPECT_EQ(v[3], 2);
}

TEST_F(Shared, EachBlockStartsFromPoison) {
  float out[2];
  stale<<<2, 1>>>(out);
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
}

TEST(DynamicShared, OptInIsByKernel) {
  warpfuzz::cpu::begin_case({}, 0, false);
  float f[1];
  constexpr int big = 64 * 1024;
  dynamic<float><<<1, 1, big>>>(f, 1);
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(dynamic<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, big), cudaSuccess);
  dynamic<float><<<1, 1, big>>>(f, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(f[0], 0);
  double d[1];
  dynamic<double><<<1, 1, big>>>(d, 1);
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
  warpfuzz::cpu::end_case();
}

TEST(DeviceVariables, AreRestoredAfterEachCase) {
  for (int i = 0; i < 3; ++i) {
    warpfuzz::cpu::begin_case({}, 0, false);
    int out[1];
    more_globals<<<1, 1>>>(out);
    EXPECT_EQ(out[0], 4 + 1 + 5 + 2 + 8);
    globals<<<1, 1>>>(out);
    EXPECT_EQ(out[0], 40 + 2 + 2 + 8 + 200);
    globals<<<1, 1>>>(out);
    EXPECT_EQ(out[0], 41 + 4 + 3 + 8 + 200);
    warpfuzz::cpu::end_case();
  }
}

// The section keeps AddressSanitizer's red zones.
TEST(DeviceVariablesDeathTest, OneElementPastTheEnd) {
  float out[1];
  volatile int past = 5;
  warpfuzz::cpu::begin_case({}, 0, false);
  read_table<<<1, 1>>>(out, past - 1);
  EXPECT_EQ(out[0], 5);
  EXPECT_DEATH((read_table<<<1, 1>>>(out, past)), "global-buffer-overflow");
  EXPECT_DEATH((read_coefficients<<<1, 1>>>(out, past - 2)), "global-buffer-overflow");
  warpfuzz::cpu::end_case();
}

}  // namespace
