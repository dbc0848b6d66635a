// Atomics of every operation and type against their definitions.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Atomic : public SurfaceTest {};

// One atomic of each of n threads on one variable; the old values must be a chain from the initial value to the last.
template <class T, class Call, class Apply>
T chain(T initial, int n, Call call, Apply apply) {
  T* const cell = static_cast<T*>(device_alloc(sizeof(T)));
  *cell = initial;
  std::vector<T> old(static_cast<std::size_t>(n));
  run(1, unsigned(n), [&] { old[threadIdx.x] = call(cell, int(threadIdx.x)); });
  T expected = initial;
  for (int t = 0; t < n; ++t) {  // ascending order of threads
    EXPECT_EQ(std::memcmp(&old[std::size_t(t)], &expected, sizeof(T)), 0) << "thread " << t;
    expected = apply(expected, t);
  }
  const T result = *cell;
  EXPECT_EQ(std::memcmp(&result, &expected, sizeof(T)), 0);
  EXPECT_EQ(device_free(cell), 0);
  return result;
}

template <class T>
void check_integers() {
  const auto value = [](int t) { return static_cast<T>(static_cast<T>(t * 7919 % 31 - 9) * static_cast<T>(1234567)); };
  chain<T>(
      T(40), 32, [&](T* p, int t) { return atomicMin(p, value(t)); },
      [&](T o, int t) { return std::min(o, value(t)); });
  chain<T>(
      T(40), 32, [&](T* p, int t) { return atomicMax(p, value(t)); },
      [&](T o, int t) { return std::max(o, value(t)); });
  chain<T>(
      T(-1), 32, [&](T* p, int t) { return atomicAnd(p, T(~(T(1) << t % 31))); },
      [&](T o, int t) { return T(o & ~(T(1) << t % 31)); });
  chain<T>(T(0), 32, [&](T* p, int t) { return atomicOr(p, value(t)); }, [&](T o, int t) { return T(o | value(t)); });
  chain<T>(T(5), 32, [&](T* p, int t) { return atomicXor(p, value(t)); }, [&](T o, int t) { return T(o ^ value(t)); });
  chain<T>(
      T(5), 8, [&](T* p, int t) { return atomicXor_block(p, value(t)); }, [&](T o, int t) { return T(o ^ value(t)); });
  chain<T>(
      T(5), 8, [&](T* p, int t) { return atomicMax_system(p, value(t)); },
      [&](T o, int t) { return std::max(o, value(t)); });
}
TEST_F(Atomic, MinMaxAndBits) {
  check_integers<int>();
  check_integers<unsigned int>();
  check_integers<long long int>();
  check_integers<unsigned long long int>();
}

TEST_F(Atomic, SumsWrapAround) {
  EXPECT_EQ(
      chain<int>(
          INT_MAX, 2, [](int* p, int) { return atomicAdd(p, 1); }, [](int o, int) { return int(unsigned(o) + 1u); }),
      INT_MIN + 1);
  EXPECT_EQ(
      chain<int>(
          INT_MIN, 1, [](int* p, int) { return atomicSub(p, 1); }, [](int o, int) { return int(unsigned(o) - 1u); }),
      INT_MAX);
  EXPECT_EQ(chain<unsigned>(
                0, 3, [](unsigned* p, int) { return atomicSub(p, 1u); }, [](unsigned o, int) { return o - 1u; }),
            0xfffffffdu);
  EXPECT_EQ(chain<unsigned>(
                ~0u, 3, [](unsigned* p, int) { return atomicAdd(p, 1u); }, [](unsigned o, int) { return o + 1u; }),
            2u);
  EXPECT_EQ(chain<unsigned long long>(
                ~0ull, 3, [](unsigned long long* p, int) { return atomicAdd(p, 1ull); },
                [](unsigned long long o, int) { return o + 1; }),
            2ull);
}

TEST_F(Atomic, FloatSumsGoInTheOrderOfThreads) {
  const auto f = [](int t) { return t % 2 ? 1e-8f * float(t) : 1.0f; };
  chain<float>(0.5f, 64, [&](float* p, int t) { return atomicAdd(p, f(t)); }, [&](float o, int t) { return o + f(t); });
  chain<double>(
      0.5, 64, [&](double* p, int t) { return atomicAdd(p, 1.0 / (t + 3)); },
      [&](double o, int t) { return o + 1.0 / (t + 3); });
  chain<float2>(
      {1, 2}, 8, [](float2* p, int t) { return atomicAdd(p, float2{float(t), 0.1f}); },
      [](float2 o, int t) { return float2{o.x + float(t), o.y + 0.1f}; });
  EXPECT_TRUE(status().float_atomics);
}
TEST_F(Atomic, IntegerAtomicsDoNotDependOnTheOrder) {
  chain<int>(0, 4, [](int* p, int) { return atomicAdd(p, 1); }, [](int o, int) { return o + 1; });
  EXPECT_FALSE(status().float_atomics);
}

TEST_F(Atomic, SumsOfHalves) {
  const auto h = [](float x) { return __float2half(x); };
  const auto b = [](float x) { return __float2bfloat16(x); };
  chain<__half>(
      h(2048), 16, [&](__half* p, int t) { return atomicAdd(p, h(float(t) + 0.5f)); },
      [&](__half o, int t) { return h(__half2float(o) + float(t) + 0.5f); });
  chain<__nv_bfloat16>(
      b(256), 16, [&](__nv_bfloat16* p, int t) { return atomicAdd(p, b(float(t) + 0.5f)); },
      [&](__nv_bfloat16 o, int t) { return b(__bfloat162float(o) + float(t) + 0.5f); });
  chain<__half2>(
      __half2{h(1), h(2)}, 16, [&](__half2* p, int t) { return atomicAdd(p, __half2{h(float(t)), h(0.25f)}); },
      [&](__half2 o, int t) { return __half2{h(__half2float(o.x) + float(t)), h(__half2float(o.y) + 0.25f)}; });
  chain<__nv_bfloat162>(
      __nv_bfloat162{b(1), b(2)}, 16,
      [&](__nv_bfloat162* p, int t) { return atomicAdd(p, __nv_bfloat162{b(float(t)), b(0.25f)}); },
      [&](__nv_bfloat162 o, int t) {
        return __nv_bfloat162{b(__bfloat162float(o.x) + float(t)), b(__bfloat162float(o.y) + 0.25f)};
      });
}

TEST_F(Atomic, Exchange) {
  chain<int>(7, 4, [](int* p, int t) { return atomicExch(p, t * t); }, [](int, int t) { return t * t; });
  chain<unsigned>(
      7, 4, [](unsigned* p, int t) { return atomicExch(p, unsigned(t)); }, [](unsigned, int t) { return unsigned(t); });
  chain<unsigned long long>(
      7, 4, [](unsigned long long* p, int t) { return atomicExch(p, 1ull << 40 << t); },
      [](unsigned long long, int t) { return 1ull << 40 << t; });
  chain<float>(
      7, 4, [](float* p, int t) { return atomicExch(p, 0.5f * float(t)); },
      [](float, int t) { return 0.5f * float(t); });
}

TEST_F(Atomic, IncrementAndDecrementWrapAtTheLimit) {
  EXPECT_EQ(
      chain<unsigned>(
          0, 10, [](unsigned* p, int) { return atomicInc(p, 3u); }, [](unsigned o, int) { return o >= 3 ? 0 : o + 1; }),
      2u);
  EXPECT_EQ(
      chain<unsigned>(9, 1, [](unsigned* p, int) { return atomicInc(p, 3u); }, [](unsigned, int) { return 0u; }), 0u);
  EXPECT_EQ(chain<unsigned>(
                2, 4, [](unsigned* p, int) { return atomicDec(p, 5u); },
                [](unsigned o, int) { return o == 0 || o > 5 ? 5u : o - 1; }),
            4u);
  EXPECT_EQ(
      chain<unsigned>(9, 1, [](unsigned* p, int) { return atomicDec(p, 5u); }, [](unsigned, int) { return 5u; }), 5u);
}

TEST_F(Atomic, CompareAndSwap) {
  EXPECT_EQ(chain<int>(
                0, 9, [](int* p, int t) { return atomicCAS(p, t % 3, t + 1); },
                [](int o, int t) { return o == t % 3 ? t + 1 : o; }),
            3);
  chain<unsigned long long>(
      0, 3, [](unsigned long long* p, int t) { return atomicCAS(p, 0ull, 1ull << 50 | unsigned(t)); },
      [](unsigned long long o, int t) { return o == 0 ? 1ull << 50 | unsigned(t) : o; });
  chain<unsigned short>(
      1, 3, [](unsigned short* p, int t) { return atomicCAS(p, (unsigned short)(t + 1), (unsigned short)(t + 2)); },
      [](unsigned short o, int t) { return (unsigned short)(o == t + 1 ? t + 2 : o); });
}

// The usual emulation: a loop around compare-and-swap.
TEST_F(Atomic, MaximumOfFloatsByCompareAndSwap) {
  float* const cell = static_cast<float*>(device_alloc(sizeof(float)));
  *cell = -1e30f;
  run(4, 128, [&] {
    const float mine = float((threadIdx.x * 7919 + blockIdx.x * 104729) % 1009) - 500.0f;
    int* const bits = reinterpret_cast<int*>(cell);
    int old = *bits, seen;
    do {
      seen = old;
      old = atomicCAS(bits, seen, __float_as_int(fmaxf(mine, __int_as_float(seen))));
    } while (seen != old);
  });
  float expected = -1e30f;
  for (unsigned b = 0; b < 4; ++b) {
    for (unsigned t = 0; t < 128; ++t) expected = std::max(expected, float((t * 7919 + b * 104729) % 1009) - 500.0f);
  }
  EXPECT_EQ(*cell, expected);
  EXPECT_EQ(status().fault, FaultClass::none);
  device_free(cell);
}

}  // namespace
}  // namespace warpfuzz::cpu
