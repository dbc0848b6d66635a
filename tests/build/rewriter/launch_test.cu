// Launches of every form, compiled by the pipeline and run by the executor.
#include <gtest/gtest.h>

#include <vector>

#include "exec/cpu/case.h"

extern "C" __global__ void c_linkage(int* out, int v) { atomicAdd(out, v); }
__global__ void global_add(int* out, int v) { atomicAdd(out, v); }

namespace {

struct Pair {
  int a, b;
};

__global__ void add(int* out, int v) { atomicAdd(out, v); }
__global__ void two(int* out, const int* a, const int* b) { atomicAdd(out, (a ? 1 : 10) + (b ? 100 : 1000)); }
__global__ void with_default(int* out, int v = 7) { atomicAdd(out, v); }
__global__ void pair(int* out, Pair p, int v) { atomicAdd(out, p.a * 100 + p.b * 10 + v); }
template <int N>
__global__ void fixed(int* out) {
  atomicAdd(out, N);
}
template <class T>
__global__ void deduced(T* out, T v) {
  atomicAdd(out, v);
}
template <class T, int N = 3>
__global__ void partly(T* out) {
  atomicAdd(out, T(N));
}
__global__ void overloaded(int* out, int) { atomicAdd(out, 1); }
__global__ void overloaded(int* out, float) { atomicAdd(out, 2); }
template <class... A>
__global__ void many(int* out, A... a) {
  atomicAdd(out, (0 + ... + a));
}
__global__ void sizes(int* out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
    *out = gridDim.x + 10 * gridDim.y + 100 * gridDim.z + 1000 * blockDim.x + 10000 * blockDim.y + 100000 * blockDim.z;
  }
}
namespace inner {
__global__ void add(int* out, int v) { atomicAdd(out, 2 * v); }
template <class T>
struct Holder {
  template <int N>
  static void __global__ kernel(T* out) {
    atomicAdd(out, T(N));
  }
};
}  // namespace inner

// Declared first, with C linkage, static, specialised, with a computed return type, instantiated explicitly.
__global__ void later(int* out, int v);
static __global__ void internal(int* out, int v) { atomicAdd(out, v); }
template <>
__global__ void deduced<long long>(long long* out, long long v) {
  *out = v + 1;
}
template <class T>
__global__ typename std::enable_if<(sizeof(T) > 2)>::type computed(T* out) {
  atomicAdd(out, T(1));
}
template __global__ void partly<int, 9>(int*);
template <class T, class F>
__global__ void apply(T* out, F f) {
  atomicAdd(out, f(threadIdx.x));
}
__global__ __launch_bounds__(64, 2) void later(int* out, int v) { atomicAdd(out, v); }

#define CHECKED(...)                            \
  do {                                          \
    __VA_ARGS__;                                \
    ASSERT_EQ(cudaGetLastError(), cudaSuccess); \
  } while (0)
#define LAUNCH(kernel, grid, ...) kernel<<<grid, 2>>>(__VA_ARGS__)
#define LAUNCH_SAFE(kernel, ...)                \
  do {                                          \
    kernel<<<dim3(1), dim3(1)>>>(__VA_ARGS__);  \
    ASSERT_EQ(cudaGetLastError(), cudaSuccess); \
  } while (0)

struct Runner {
  void (*kernel)(int*, int);
  int value;
  void run(int* out) { kernel<<<1, 1>>>(out, value); }
  void run_this(int* out) { this->kernel<<<1, 1>>>(out, this->value); }
};
template <class T>
void launch_from_template(T* out) {
  deduced<T><<<1, 2>>>(out, T(4));
  inner::Holder<T>::template kernel<5><<<1, 1>>>(out);
}
template <class... A>
void forward(int* out, A... a) {
  many<<<1, 1>>>(out, a...);
}

class Launch : public ::testing::Test {
 protected:
  Launch() { warpfuzz::cpu::begin_case({}, 0, false); }
  ~Launch() override { warpfuzz::cpu::end_case(); }
  int taken() {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(warpfuzz::cpu::current_case().status.message, "");
    const int v = sum;
    sum = 0;
    return v;
  }
  int sum = 0;
  int* out = &sum;
};

TEST_F(Launch, Names) {
  add<<<2, 3>>>(out, 1);
  EXPECT_EQ(taken(), 6);
  inner::add<<<1, 1>>>(out, 1);
  EXPECT_EQ(taken(), 2);
  ::global_add<<<1, 1>>>(out, 5);
  EXPECT_EQ(taken(), 5);
  (add)<<<1, 1>>>(out, 5);
  EXPECT_EQ(taken(), 5);
  add<<<1, 1>>>(out, 1), add<<<1, 1>>>(out, 2);
  add<<<1, 1>>>(out, 3);
  EXPECT_EQ(taken(), 6);
}

TEST_F(Launch, Templates) {
  fixed<4><<<1, 1>>>(out);
  fixed<(3 >> 1)><<<1, 1>>>(out);
  fixed<sizeof(std::vector<std::vector<int>>)><<<1, 1>>>(out);
  EXPECT_EQ(taken(), 4 + 1 + 24);
  deduced<<<1, 1>>>(out, 8);
  partly<int><<<1, 1>>>(out);
  partly<int, 2><<<1, 1>>>(out);
  EXPECT_EQ(taken(), 13);
  launch_from_template(out);
  EXPECT_EQ(taken(), 13);
  inner::Holder<int>::kernel<6><<<1, 1>>>(out);
  EXPECT_EQ(taken(), 6);
}

TEST_F(Launch, Configuration) {
  sizes<<<{2, 3, 4}, {5, 6, 7}>>>(out);
  EXPECT_EQ(taken(), 2 + 30 + 400 + 5000 + 60000 + 700000);
  int n = 9;
  sizes<<<dim3(n), dim3(n, 2), n * sizeof(float), 0>>>(out);
  EXPECT_EQ(taken(), 9 + 10 + 100 + 9000 + 20000 + 100000);
  sizes<<<(n + 3) / 4, n << 1, 0, NULL>>>(out);
  EXPECT_EQ(taken(), 3 + 110 + 18000 + 110000);
  // clang-format off: it takes the launch for comparisons
  sizes<<<sizeof(std::vector<std::vector<std::vector<int>>>) / 8, n >> 3>>>(out);
  // clang-format on
  EXPECT_EQ(taken(), 3 + 110 + 111000);
  cudaStream_t stream{};
  sizes<<<dim3(1, 2), 3, 0, stream>>>(out);
  EXPECT_EQ(taken(), 1 + 20 + 100 + 113000);
}

TEST_F(Launch, Arguments) {
  two<<<1, 1>>>(out, NULL, 0);
  EXPECT_EQ(taken(), 1010);
  two<<<1, 1>>>(out, nullptr, out);
  EXPECT_EQ(taken(), 110);
  two<<<1, 1>>>(out, (0), (const int*)0);
  EXPECT_EQ(taken(), 1010);
  with_default<<<1, 1>>>(out);
  with_default<<<1, 1>>>(out, 1);
  EXPECT_EQ(taken(), 8);
  int a = 3;
  pair<<<1, 1>>>(out, {1, 2}, a);
  EXPECT_EQ(taken(), 123);
  pair<<<1, 1>>>(out, {a, a}, {4});
  EXPECT_EQ(taken(), 334);
  pair<<<1, 1>>>(out, Pair{1, a < 2 ? 1 : 2}, 0);
  EXPECT_EQ(taken(), 120);
  overloaded<<<1, 1>>>(out, 1);
  overloaded<<<1, 1>>>(out, 1.0f);
  overloaded<<<1, 1>>>(out, a);
  EXPECT_EQ(taken(), 4);
  forward(out, 1, 2, 3);
  EXPECT_EQ(taken(), 6);
  many<<<1, 1>>>(out);
  many<<<1, 1>>>(out, 1, std::min<int>(2, 5), true);
  EXPECT_EQ(taken(), 4);
}

TEST_F(Launch, ArgumentsAreEvaluatedOnce) {
  int calls = 0;
  const auto next = [&] { return ++calls; };
  add<<<4, 32>>>(out, next());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(taken(), 128);
  pair<<<2, 2>>>(out, {0, 0}, calls++);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(taken(), 4);
}

TEST_F(Launch, FunctionPointersMacrosLambdasMembers) {
  void (*table[])(int*, int) = {add, inner::add};
  for (int i = 0; i < 2; ++i) table[i]<<<1, 1>>>(out, 10);
  EXPECT_EQ(taken(), 30);
  auto* pointer = table[1];
  pointer<<<1, 1>>>(out, 1);
  (*pointer)<<<1, 1>>>(out, 1);
  EXPECT_EQ(taken(), 4);
  Runner runner{add, 5};
  runner.run(out);
  runner.run_this(out);
  runner.kernel<<<1, 1>>>(out, 1);
  (&runner)->kernel<<<1, 1>>>(out, 1);
  EXPECT_EQ(taken(), 12);
  if (sum) add<<<1, 1>>>(out, 1);
  else LAUNCH(add, 3, out, 2);
  EXPECT_EQ(taken(), 12);
  LAUNCH_SAFE(add, out, 1);
  LAUNCH_SAFE(with_default, out);
  EXPECT_EQ(taken(), 8);
  const auto lambda = [&](int v) {
    add<<<1, 1>>>(out, v);
    fixed<2><<<1, 1>>>(out);
  };
  lambda(3);
  EXPECT_EQ(taken(), 5);
  for (int i = 0; i < 3; ++i) add<<<1, i + 1>>>(out, [&] { return i; }());
  EXPECT_EQ(taken(), 0 + 2 + 6);
  const char* text = "add<<<1, 1>>>(out, 1)";
  const char* raw = R"(add<<<1, 1>>>(out, 1))";  // add<<<1, 1>>>(out, 1)
  EXPECT_STREQ(text, raw);
  EXPECT_EQ(taken(), 0);
}

TEST_F(Launch, DeclarationsOfEveryKind) {
  later<<<1, 1>>>(out, 1);
  internal<<<1, 1>>>(out, 10);
  c_linkage<<<1, 1>>>(out, 100);
  computed<int><<<1, 3>>>(out);
  partly<int, 9><<<1, 1>>>(out);
  EXPECT_EQ(taken(), 1 + 10 + 100 + 3 + 9);
  long long wide = 0;
  deduced<<<1, 1>>>(&wide, 4LL);
  EXPECT_EQ(wide, 5);
}

TEST_F(Launch, InsideOtherExpressionsAndStatements) {
  auto kernel = partly<int, 4>;
  auto chosen = sum == 0 ? fixed<1> : fixed<2>;
  kernel<<<1, 1>>>(out);
  chosen<<<1, 1>>>(out);
  EXPECT_EQ(taken(), 5);
  const auto status = [&]() -> cudaError_t { return later<<<1, 1>>>(out, 2), cudaGetLastError(); };
  EXPECT_EQ(status(), cudaSuccess);
  CHECKED((later<<<1, 1>>>(out, 3)));
  CHECKED(later<<<1, 1>>>(out, 4); later<<<1, 1>>>(out, 5));
  EXPECT_EQ(taken(), 14);
  switch (sum) {
    case 0: later<<<1, 1>>>(out, 6); break;
    default: later<<<1, 1>>>(out, 7);
  }
  do later<<<1, 1>>>(out, 8);
  while (false);
  sum ? later<<<1, 1>>>(out, 9) : later<<<1, 1>>>(out, 10);
  if constexpr (sizeof(int) == 4) fixed<(sizeof(int) > 2)><<<1, 1>>>(out);
  else fixed<50><<<1, 1>>>(out);
  (void)later<<<1, 1>>>(out, 1);
  EXPECT_EQ(taken(), 6 + 8 + 9 + 1 + 1);
  const int scale = 10;
  apply<<<1, 3>>>(out, [=] __device__(int i) { return i * scale; });
  apply<int><<<1, 3>>>(out, [](int i) { return i; });
  EXPECT_EQ(taken(), 30 + 3);
  [&] {
    using scalar = int;
    computed<scalar><<<dim3(1), 2>>>(static_cast<scalar*>(out));
  }();
  EXPECT_EQ(taken(), 2);
}

}  // namespace
