// Exact mode: sums that no order rounds are compared bit for bit. Correct kernels pass in every order, one ulp fails.
#include <gtest/gtest.h>

#include <cmath>

#include "emulate.h"
#include "numeric/round.h"
#include "numeric/sum_bound.h"

namespace warpfuzz::test {
namespace {

TargetSpec declared(std::initializer_list<const char*> dialects) {
  TargetSpec s = all_dtypes(ops::matmul());
  for (const char* d : dialects) s.dialect(d);
  return s;
}
Problem small_integers(TargetSpec s, std::uint32_t k, DType in, DType out, std::uint8_t range = 0) {
  Problem p(std::move(s), {{"M", 3}, {"N", 5}, {"K", k}}, in, out);
  p.fill("a", Fill::small_int, 7, 0, range).fill("b", Fill::small_int, 8, 0, range);
  return p;
}
// Of c[0, 0] of a product of two vectors.
Reference dot(std::initializer_list<const char*> dialects, DType in, DType out, const Values& a, const Values& b) {
  Problem p(declared(dialects), {{"M", 1}, {"N", 1}, {"K", static_cast<std::uint32_t>(a.size())}}, in, out);
  return p.set("a", a).set("b", b).reference();
}
bool exact(const Reference& r) { return r.e[0] == 0 && r.e_rig[0] == 0; }

struct Pair {
  DType in, out;
};
constexpr Pair kPairs[] = {{f32, f32}, {f16, f16}, {bf16, bf16}, {f16, f32}, {bf16, f32}};

TEST(Exact, CorrectKernelsPassInEveryOrderAndDtype) {
  for (const auto [in, out] : kPairs)
    for (const std::uint32_t k : {1u, 33u, 700u}) {
      const Problem p = small_integers(declared({}), k, in, out);
      const auto refs = p.references();
      for (const Order& order : common_orders()) {
        const Verdict v = judge_values(p, matmul(p, Matmul::plain, order), &refs);
        EXPECT_EQ(v.fault, FaultClass::none) << dtype_name(in) << " K=" << k;
        EXPECT_EQ(v.exact, v.total);
      }
    }
}

TEST(Exact, TensorCoresAndSixteenBitSumsPassToo) {
  for (const DType in : {f16, bf16}) {
    const Problem cores = small_integers(declared({"tc"}), 500, in, f32);
    const Verdict v = judge_values(cores, matmul(cores, Matmul::tensor_core));
    EXPECT_EQ(v.fault, FaultClass::none);
    EXPECT_EQ(v.exact, v.total);
    const Problem narrow = small_integers(declared({"acc=16"}), 60, in, in, 2);  // -1..1: |sum| <= 60
    const Verdict w = judge_values(narrow, matmul(narrow, Matmul::accumulate_16));
    EXPECT_EQ(w.fault, FaultClass::none);
    EXPECT_EQ(w.exact, w.total);
  }
}

TEST(Exact, OneUlpIsAFinding) {
  for (const auto [in, out] : kPairs) {
    const Problem p = small_integers(declared({}), 100, in, out);
    Values y = matmul(p, Matmul::plain);
    for (float& v : y) v = static_cast<float>(round_to(out, v));
    y[4] = static_cast<float>(next_in(out, y[4], true));
    const Verdict v = judge_values(p, y);
    EXPECT_EQ(v.fault, FaultClass::value) << dtype_name(in);
    EXPECT_EQ(v.wrong, 1u);
    EXPECT_TRUE(v.worst.exact);
    EXPECT_EQ(v.worst.lo, v.worst.hi);
    EXPECT_EQ(v.exact, v.total);
  }
}

TEST(Exact, UpToTwentyFourDigitsOfTheAccumulator) {
  EXPECT_TRUE(exact(dot({}, f32, f32, {4095, 1}, {4096, 4096})));       // S = 2^24 exactly, quantum 2^12
  EXPECT_TRUE(exact(dot({}, f32, f32, {16777215, 1}, {1, 1})));         // S = 2^24, quantum 1
  EXPECT_FALSE(exact(dot({}, f32, f32, {16777215, 2}, {1, 1})));        // one more: some order rounds
  EXPECT_FALSE(exact(dot({}, f32, f32, {16777215, -2}, {1, 1})));       // magnitudes count
  EXPECT_TRUE(exact(dot({}, f32, f32, {0x1p-30f, 0x1p-20f}, {3, 5})));  // any power of two as quantum
  EXPECT_TRUE(exact(dot({}, f32, f32, {0, 0}, {0.1f, 1e30f})));         // zeros are multiples of anything
  EXPECT_TRUE(exact(dot({"acc=16"}, f16, f16, {2047, 1}, {1, 1})));     // 2^11
  EXPECT_FALSE(exact(dot({"acc=16"}, f16, f16, {2047, 1}, {1, 2})));
  EXPECT_TRUE(exact(dot({"acc=16"}, bf16, bf16, {255, 1}, {1, 1})));  // 2^8
  EXPECT_FALSE(exact(dot({"acc=16"}, bf16, bf16, {255, 1}, {1, 2})));
}

TEST(Exact, NotWhereOperandsMayBeFlushedRoundedOrCarried) {
  EXPECT_FALSE(exact(dot({}, f32, f32, {0x1p-127f, 1}, {1, 0})));  // a subnormal operand may count as 0
  EXPECT_FALSE(exact(dot({"ftz=never"}, f32, f32, {0x1p-127f, 1}, {1, 0})));
  EXPECT_FALSE(exact(dot({"tc"}, f16, f32, {0x1p-15f, 0}, {1, 1})));     // tensor cores align it as 2^-14
  EXPECT_FALSE(exact(dot({}, f32, f32, {0x1p-70f, 0}, {0x1p-70f, 0})));  // the product underflows
  EXPECT_TRUE(exact(dot({}, f32, f32, {0x1p-63f, 0}, {0x1p-63f, 0})));   // 2^-126 does not
  EXPECT_TRUE(exact(dot({"tf32"}, f32, f32, {2047, 1}, {1, 3})));        // eleven digits survive tf32
  EXPECT_FALSE(exact(dot({"tf32"}, f32, f32, {2049, 1}, {1, 3})));
  EXPECT_FALSE(exact(dot({"tf32=truncated"}, f32, f32, {1, 1}, {2049, 3})));
  EXPECT_FALSE(exact(dot({"rpr"}, f16, f16, {1, 2}, {3, 4})));  // 16-bit partial sums
  EXPECT_FALSE(exact(dot({"compensated"}, f32, f32, {1, 2}, {3, 4})));
  EXPECT_FALSE(exact(dot({}, f32, f32, {0.1f, 1}, {1, 1000})));
}

TEST(Exact, ABugOfOneMissingTermShowsWhereTheBoundWouldHideIt) {
  // The term that is left out is 1 of a sum of 10^6: 4 ulp of fp32, far inside of the bound for 700 terms.
  Problem p(ops::matmul(), {{"M", 1}, {"N", 1}, {"K", 700}});
  Values a(700, 1450), b(700, 1);
  a.back() = 1;
  p.set("a", a).set("b", b);
  EXPECT_EQ(judge_values(p, matmul(p, Matmul::drops_last)).fault, FaultClass::value);
  EXPECT_EQ(judge_values(p, matmul(p, Matmul::plain)).fault, FaultClass::none);
}

}  // namespace
}  // namespace warpfuzz::test
