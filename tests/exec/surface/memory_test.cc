// Loads and stores with cache hints, for every type that CUDA lists.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Memory : public SurfaceTest {};

template <class T>
void check_type() {
  T source[3], target[5][3];
  unsigned char pattern[sizeof source];
  for (std::size_t i = 0; i < sizeof pattern; ++i) pattern[i] = static_cast<unsigned char>(17 * i + 3) & 0x3f;
  std::memcpy(static_cast<void*>(source), pattern, sizeof pattern);
  std::memset(static_cast<void*>(target), 0, sizeof target);
  int wrong = 0;
  run(1, 3, [&] {
    const unsigned t = threadIdx.x;
    const T loads[] = {__ldg(source + t),  __ldca(&source[t]), __ldcg(source + t),
                       __ldcs(source + t), __ldlu(source + t), __ldcv(source + t)};
    for (const T& value : loads) wrong += std::memcmp(&value, &source[t], sizeof(T)) != 0;
    __stwb(&target[0][t], source[t]);
    __stcg(&target[1][t], source[t]);
    __stcs(&target[2][t], source[t]);
    __stwt(&target[3][t], source[t]);
    target[4][t] = source[t];
  });
  EXPECT_EQ(wrong, 0);
  for (const auto& row : target) EXPECT_EQ(std::memcmp(row, source, sizeof source), 0);
}
template <class... T>
void check_types() {
  (check_type<T>(), ...);
}

TEST_F(Memory, ScalarsAndVectors) {
  check_types<char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long,
              long long, unsigned long long, float, double>();
  check_types<char2, char4, uchar2, uchar4, short2, short4, ushort2, ushort4, int2, int4, uint2, uint4, longlong2,
              ulonglong2, float2, float4, double2, float3, int3>();
  check_types<__half, __half2, __nv_bfloat16, __nv_bfloat162>();
}

TEST_F(Memory, StoresConvertTheirValue) {
  float cell = 0;
  run(1, 1, [&] { __stcs(&cell, 3); });
  EXPECT_EQ(cell, 3.0f);
}

TEST_F(Memory, VectorConstructors) {
  const float4 f = make_float4(1, 2, 3, 4);
  const int3 i = make_int3(5, 6, 7);
  const uchar2 u = make_uchar2(8, 9);
  const double2 d = make_double2(1.5, 2.5);
  EXPECT_EQ(f.x + f.y * 10 + f.z * 100 + f.w * 1000, 4321.0f);
  EXPECT_EQ(i.x * 100 + i.y * 10 + i.z, 567);
  EXPECT_EQ(u.x * 10 + u.y, 89);
  EXPECT_EQ(d.x + d.y, 4.0);
  static_assert(alignof(float4) == 16 && alignof(float2) == 8 && alignof(int4) == 16 && alignof(double2) == 16 &&
                alignof(__half2) == 4);
}

// Static shared arrays: one for each block, and one for each instance of a template.
template <class T>
__device__ T* staging() {
  typedef T Array[8];
  Array& a = shared_array<Array>("staging", WARPFUZZ_HERE, [] {});
  return a;
}
TEST_F(Memory, SharedArraysBelongToTheBlockAndTheInstance) {
  std::vector<float> sums(6);
  int same = 0;
  run(6, 8, [&] {
    float* const s = staging<float>();
    same += static_cast<void*>(s) == static_cast<void*>(staging<int>());
    s[threadIdx.x] = float(blockIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 0; i < 8; ++i) sums[blockIdx.x] += s[i];
    }
  });
  EXPECT_EQ(same, 0);
  for (unsigned b = 0; b < 6; ++b) EXPECT_EQ(sums[b], 8.0f * float(b));
  EXPECT_THAT(status().shared_extents, ::testing::Contains(8u));
}

TEST_F(Memory, SharedStructs) {
  struct Pair {
    double a;
    int b[3];
  };
  int wrong = 0;
  run(2, 32, [&] {
    Pair& p = shared_array<Pair>("pair", WARPFUZZ_HERE, [] {});
    if (threadIdx.x == 0) p = Pair{1.5, {1, 2, int(blockIdx.x)}};
    __syncthreads();
    wrong += p.a != 1.5 || p.b[2] != int(blockIdx.x);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Memory, DynamicSharedMemory) {
  std::vector<int> got(64);
  run(
      1, 64,
      [&] {
        int* const s = dynamic_shared<int>();
        const DynamicShared<int> named;
        s[threadIdx.x] = int(threadIdx.x);
        __syncthreads();
        got[threadIdx.x] = named[63 - threadIdx.x];
      },
      64 * sizeof(int));
  for (int t = 0; t < 64; ++t) EXPECT_EQ(got[std::size_t(t)], 63 - t);
}

}  // namespace
}  // namespace warpfuzz::cpu
