// Misaligned accesses of every form are faults with the line of the access; aligned ones run. Compiled at -O0, -O1, -O2.
#include <gtest/gtest.h>

#include <string>

#include "exec/cpu/case.h"

namespace {

// clang-format off: one access a line
constexpr int kBefore = __LINE__;  // accesses are named by their distance from here
template <class T> __global__ void dereference(const char* p, T* out) { T v = *reinterpret_cast<const T*>(p); *out = v; }  // + 1
template <class T> __global__ void store(char* p, T* in) { *reinterpret_cast<T*>(p) = *in; }  // + 2
template <class T> __global__ void index(char* p, T* out) { *out = reinterpret_cast<T*>(p)[1]; }  // + 3
template <class T> __global__ void index_store(char* p, T* in) { reinterpret_cast<T*>(p)[1] = *in; }  // + 4
template <class T> __global__ void ldg(char* p, T* out) { *out = __ldg(reinterpret_cast<const T*>(p)); }  // + 5
template <class T> __global__ void c_cast(char* p, T* out) { *out = *(const T*)p; }  // + 6
template <class T> __device__ __forceinline__ T helper(const T& v) { T copy = v; return copy; }  // + 7
template <class T> __global__ void reference(char* p, T* out) { *out = helper(*(const T*)p); }
template <class T> __global__ void local_array(char* p, T* out) {
  T v[2];
  v[0] = *reinterpret_cast<T*>(p);  // + 11
  *out = v[0];
}
__global__ void one_part(char* p, float* out) { float4 v = *reinterpret_cast<float4*>(p); *out = v.z; }  // + 14
// clang-format on

template <class T>
class Alignment : public ::testing::Test {
 protected:
  // Runs at an offset that is a multiple of nothing that T needs, then at an aligned one.
  template <class Kernel>
  void expect_fault(Kernel kernel, int line) {
    for (int offset : {0, static_cast<int>(alignof(T) / 2)}) {
      alignas(64) char memory[128] = {};
      alignas(64) T value{};
      warpfuzz::cpu::begin_case({}, 0, false);
      kernel<<<1, 1>>>(memory + offset, &value);
      const warpfuzz::ExecStatus status = warpfuzz::cpu::end_case();
      if (offset == 0) {
        EXPECT_EQ(status.fault, warpfuzz::FaultClass::none) << status.message;
      } else {
        EXPECT_EQ(status.fault, warpfuzz::FaultClass::misaligned) << status.message << " (line " << line << ")";
        EXPECT_EQ(status.place.line, line) << status.message;
        EXPECT_NE(status.place.file.find("alignment_test.cu"), std::string::npos) << status.place.file;
      }
    }
  }
};
using Vectors = ::testing::Types<float2, float4, int4, half2, double2>;
TYPED_TEST_SUITE(Alignment, Vectors);

TYPED_TEST(Alignment, Dereference) { this->expect_fault(dereference<TypeParam>, kBefore + 1); }
TYPED_TEST(Alignment, Store) { this->expect_fault(store<TypeParam>, kBefore + 2); }
TYPED_TEST(Alignment, Index) { this->expect_fault(index<TypeParam>, kBefore + 3); }
TYPED_TEST(Alignment, IndexStore) { this->expect_fault(index_store<TypeParam>, kBefore + 4); }
TYPED_TEST(Alignment, Ldg) { this->expect_fault(ldg<TypeParam>, kBefore + 5); }
TYPED_TEST(Alignment, CCast) { this->expect_fault(c_cast<TypeParam>, kBefore + 6); }
TYPED_TEST(Alignment, Reference) { this->expect_fault(reference<TypeParam>, kBefore + 7); }
TYPED_TEST(Alignment, LocalArray) { this->expect_fault(local_array<TypeParam>, kBefore + 11); }

TEST(AlignmentOfScalars, FloatThroughACharPointer) {
  alignas(8) char memory[16] = {};
  float value;
  warpfuzz::cpu::begin_case({}, 0, false);
  dereference<float><<<1, 1>>>(memory + 2, &value);
  EXPECT_EQ(warpfuzz::cpu::end_case().fault, warpfuzz::FaultClass::misaligned);
}

TEST(AlignmentOfScalars, APartOfAVectorIsTheWholeVector) {
  alignas(16) char memory[32] = {};
  float value;
  warpfuzz::cpu::begin_case({}, 0, false);
  one_part<<<1, 1>>>(memory + 4, &value);
  EXPECT_EQ(warpfuzz::cpu::end_case().fault, warpfuzz::FaultClass::misaligned);
}

}  // namespace
