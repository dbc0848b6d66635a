// Correct kernels in many formulations on random cases with the full mix of values: no finding in any dtype. What is
// beyond the tight bound must clear itself under permutation.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "emulate.h"
#include "numeric/hash.h"

namespace warpfuzz::test {
namespace {

using Kernel = std::function<Values(const Problem&)>;
struct Campaign {
  const char* name;
  std::function<TargetSpec()> spec;
  std::function<std::vector<Kernel>()> kernels;
  std::vector<DTypeCombo> dtypes = {};  // empty: all of them
  int cases = 400;
};
void PrintTo(const Campaign& c, std::ostream* os) { *os << c.name; }

template <class Form, class Run>
std::vector<Kernel> all_orders(std::initializer_list<Form> forms, Run run) {
  std::vector<Kernel> v;
  for (const Form f : forms)
    for (const Order& o : common_orders()) v.push_back([f, o, run](const Problem& p) { return run(p, f, o); });
  return v;
}

std::vector<Kernel> one(Matmul form) {
  return {[form](const Problem& p) { return matmul(p, form); },
          [form](const Problem& p) { return matmul(p, form, {Order::forward, 0, true}); }};
}
Values l2norm_of(const Problem& p, L2norm form, const Order& order) { return l2norm(p, form, order); }
const std::vector<DTypeCombo> kSame16 = {same_dtype(f16), same_dtype(bf16)};
const std::vector<DTypeCombo> k16 = {same_dtype(f16), same_dtype(bf16), mixed_dtype(f16, f32), mixed_dtype(bf16, f32)};

class CorrectKernels : public testing::TestWithParam<Campaign> {};

TEST_P(CorrectKernels, AreNeverAFinding) {
  TargetSpec spec = all_dtypes(GetParam().spec()).caps(3000, 6000);
  if (!GetParam().dtypes.empty()) {
    spec.dtypes({});
    for (const DTypeCombo& d : GetParam().dtypes) spec.mixed({d});
  }
  ASSERT_EQ(spec.validate(), "");
  const std::vector<Kernel> kernels = GetParam().kernels();
  const std::string name = GetParam().name;
  Rng rng(hash_bytes(name.data(), name.size()));
  std::size_t runs = 0, drifts = 0, elements = 0, any = 0;
  for (int i = 0; i < GetParam().cases; ++i) {
    Bytes b(128 + 12 * rng.below(3));
    for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
    const Problem p(spec, decode(spec.schema(), b));
    const std::vector<Reference> refs = p.references();
    const bool flush = rng.chance(1, 2) && p.in_type() != f16;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (rng.chance(1, 2)) continue;
      const auto run = [&](const Problem& q) {
        const FlushToZero scope(flush);
        return kernels[k](q);
      };
      const Verdict v = judge_values(p, run(p), &refs);
      ++runs;
      elements += v.total;
      for (const std::size_t n : v.unspecified) any += n;
      bool finding = v.fault != FaultClass::none;
      if (v.suspect) {
        finding = beyond_after_permutation(p, run) >= kPermutationQuorum;
        drifts += !finding;
      }
      ASSERT_FALSE(finding) << summary(p.schema(), p.test_case) << " kernel " << k << (flush ? " ftz" : "") << ": "
                            << name_of(v.kind) << " " << name_of(v.location) << " [" << v.worst.element << "] got "
                            << v.worst.got << " reference " << v.worst.reference << " allowed [" << v.worst.lo << ", "
                            << v.worst.hi << "] rho " << v.worst.ratio;
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  RecordProperty("drift", static_cast<int>(drifts));
  EXPECT_GT(runs, 300u);
  EXPECT_LT(drifts, runs / 50) << "the tight bound is to be the rule";
  EXPECT_LT(any, elements / 3) << "a campaign of unspecified elements says nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Ops, CorrectKernels,
    testing::ValuesIn(std::vector<Campaign>{
        {"softmax", ops::softmax,
         [] {
           return all_orders({Softmax::plain, Softmax::reciprocal, Softmax::online, Softmax::online_blocks,
                              Softmax::exp2_prescaled, Softmax::exp2_fma},
                             softmax);
         }},
        {"layernorm", ops::layernorm,
         [] {
           return all_orders({Layernorm::two_pass, Layernorm::divide_by_sqrt, Layernorm::fused_affine,
                              Layernorm::welford, Layernorm::welford_lanes},
                             layernorm);
         }},
        {"layernorm_naive", [] { return ops::layernorm().dialect("var=naive"); },
         [] { return all_orders({Layernorm::naive, Layernorm::two_pass}, layernorm); }},
        {"rmsnorm", ops::rmsnorm,
         [] { return all_orders({Rmsnorm::scale_then_weight, Rmsnorm::weight_first, Rmsnorm::divide}, rmsnorm); }},
        {"rmsnorm_cast", [] { return ops::rmsnorm().dialect("cast_before_weight"); },
         [] { return all_orders({Rmsnorm::cast_before_weight}, rmsnorm); }},
        {"l2norm_max", [] { return ops::l2norm().dialect("form=max"); },
         [] { return all_orders({L2norm::divide, L2norm::reciprocal, L2norm::rsqrt}, l2norm_of); }},
        {"l2norm_sqrt", [] { return ops::l2norm().dialect("form=sqrt"); },
         [] { return all_orders({L2norm::divide, L2norm::rsqrt}, l2norm_of); }},
        {"l2norm_add", [] { return ops::l2norm().dialect("form=add"); },
         [] { return all_orders({L2norm::divide, L2norm::reciprocal}, l2norm_of); }},
        {"gelu_erf", [] { return ops::gelu().dialect("form=erf"); },
         [] {
           return std::vector<Kernel>{[](const Problem& p) { return gelu(p, Gelu::erf); },
                                      [](const Problem& p) { return gelu(p, Gelu::erfc); },
                                      [](const Problem& p) { return gelu(p, Gelu::erf_fma); }};
         }},
        {"gelu_tanh", [] { return ops::gelu().dialect("form=tanh"); },
         [] {
           return std::vector<Kernel>{[](const Problem& p) { return gelu(p, Gelu::tanh); },
                                      [](const Problem& p) { return gelu(p, Gelu::tanh_exp); },
                                      [](const Problem& p) { return gelu(p, Gelu::tanh_sigmoid); }};
         }},
        {"gelu_either", [] { return ops::gelu().dialect("form=either").dialect("tanh.approx"); },
         [] {
           return std::vector<Kernel>{[](const Problem& p) { return gelu(p, Gelu::tanh_approx); },
                                      [](const Problem& p) { return gelu(p, Gelu::erf); },
                                      [](const Problem& p) { return gelu(p, Gelu::tanh); }};
         }},
        {"matmul", ops::matmul, [] { return all_orders({Matmul::plain}, matmul); }},
        {"matmul_tensor_core", [] { return ops::matmul().dialect("tc"); }, [] { return one(Matmul::tensor_core); },
         k16},
        {"matmul_tf32",
         [] { return ops::matmul().dialect("tf32"); },
         [] { return all_orders({Matmul::tf32}, matmul); },
         {same_dtype(f32)}},
        {"matmul_split_k_16", [] { return ops::matmul().dialect("rpr"); }, [] { return one(Matmul::split_k_16); },
         kSame16},
        {"matmul_accumulate_16", [] { return ops::matmul().dialect("acc=16"); },
         [] { return one(Matmul::accumulate_16); }, kSame16},
        {"attention", ops::attention,
         [] {
           return all_orders({Attention::three_pass, Attention::normalised_first, Attention::scale_first,
                              Attention::exp2_prescaled, Attention::exp2_fma, Attention::online, Attention::flash,
                              Attention::split_keys, Attention::additive_mask},
                             attention);
         }},
        {"attention_select", [] { return ops::attention().dialect("mask=select"); },
         [] { return all_orders({Attention::three_pass, Attention::flash}, attention); }},
        {"attention_16_bit_p", [] { return ops::attention().dialect("p_cast"); },
         [] { return all_orders({Attention::p_cast}, attention); }, k16},
        {"attention_16_bit_scores", [] { return ops::attention().dialect("s_cast"); },
         [] { return all_orders({Attention::s_cast}, attention); }, k16},
        {"attention_tensor_core", [] { return ops::attention().dialect("tc").dialect("p_cast"); },
         [] { return all_orders({Attention::tensor_core}, attention); }, k16},
        {"attention_tf32",
         [] { return ops::attention().dialect("tf32"); },
         [] { return all_orders({Attention::tf32}, attention); },
         {same_dtype(f32)}},
        {"attention_split_keys_16", [] { return ops::attention().dialect("rpr"); },
         [] { return all_orders({Attention::split_keys_16}, attention); }, kSame16},
        {"matmul_compensated", [] { return ops::matmul().dialect("compensated"); },
         [] { return all_orders({Matmul::kahan}, matmul); }},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpfuzz::test
