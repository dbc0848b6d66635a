// Elementwise kernels under the judge: correct formulations on random cases with the full mix of values, in every dtype;
// wrong ones are found there.
#include <gtest/gtest.h>

#include "../ops/element_kernels.h"
#include "emulate.h"
#include "numeric/hash.h"
#include "numeric/round.h"

namespace warpfuzz::test {
namespace {

class ElementKernels : public testing::TestWithParam<ElementKernel> {};

TEST_P(ElementKernels, AreJudgedAsWhatTheyAre) {
  const ElementKernel& k = GetParam();
  TargetSpec spec = k.spec();
  spec.dtypes({f32, f16, bf16}).caps(2000, 1000);
  if (k.correct) spec.mixed({mixed_dtype(f16, f32), mixed_dtype(bf16, f32)});
  ASSERT_EQ(spec.validate(), "");
  const std::string name = k.op + k.name;
  Rng rng(hash_bytes(name.data(), name.size()));
  std::vector<int> found(spec.schema().dtypes.size());
  std::size_t elements = 0, any = 0;
  for (int i = 0; i < 600; ++i) {
    Bytes b(128 + 12 * rng.below(3));
    for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
    const Problem p(spec, decode(spec.schema(), b));
    const std::vector<Reference> refs = p.references();
    const bool flush = rng.chance(1, 2) && p.in_type() != f16;
    for (const bool worst : {false, true}) {
      Values y;
      {
        const FlushToZero scope(flush);
        y = run(k, p, {worst});
      }
      const Verdict v = judge_values(p, y, &refs);
      elements += v.total;
      for (const std::size_t n : v.unspecified) any += n;
      EXPECT_FALSE(v.suspect) << "the two tiers are one";
      found[p.test_case.dtype] += v.fault != FaultClass::none;
      if (k.correct)
        ASSERT_EQ(v.fault, FaultClass::none)
            << summary(p.schema(), p.test_case) << (flush ? " ftz" : "") << (worst ? " worst functions" : "") << ": "
            << name_of(v.kind) << " x " << p["x"][v.worst.element] << " got " << v.worst.got << " reference "
            << v.worst.reference << " allowed [" << v.worst.lo << ", " << v.worst.hi << "] rho " << v.worst.ratio;
    }
  }
  EXPECT_EQ(any, 0u) << "an elementwise op has nothing unspecified";
  EXPECT_GT(elements, 10000u);
  if (k.correct) return;
  for (std::size_t d = 0; d < found.size(); ++d)
    if (d == 0 || !k.only_fp32) EXPECT_GT(found[d], 2) << spec.schema().dtypes[d].name;
}

INSTANTIATE_TEST_SUITE_P(All, ElementKernels, testing::ValuesIn(element_kernels()),
                         [](const auto& info) { return info.param.op + "_" + info.param.name; });

// What 16 bits of precision inside of a kernel cost shows, in fp32 and in fp16, wherever E is above 0.
TEST(ElementKernelsIn16Bits, AreFound) {
  for (const ElementKernel& k : element_kernels()) {
    if (!k.correct || k.op == "relu") continue;
    for (const DType t : {f32, f16}) {
      TargetSpec spec = k.spec();
      Problem p(spec.dtypes({f32, f16}), {{"n", 1000}}, t, t);
      p.fill("x", Fill::normal, 3, 1);
      Values y = run(k, p, {});
      // One intermediate is rounded to bf16: the result before its own store.
      for (float& v : y) v = static_cast<float>(round_to(bf16, v));
      EXPECT_EQ(judge_values(p, y).fault, FaultClass::value) << k.op << " " << k.name << " " << dtype_name(t);
    }
  }
}

}  // namespace
}  // namespace warpfuzz::test
