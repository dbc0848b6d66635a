// Kernels as plain C++: fp32 arithmetic in the orders and formulations that real ones use, correct and with planted
// bugs. Each returns the outputs before the final store.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "../ops/problem.h"
#include "oracle/judge.h"

namespace warpfuzz::test {

// The order in which a kernel adds.
struct Order {
  enum Kind { forward, reverse, lanes, pairwise, blocks, shuffled, kahan } kind = forward;
  std::uint32_t width = 0;  // of lanes and blocks
  bool fma = false;         // products are not rounded before they are added
};
const std::vector<Order>& common_orders();

// Sum of n terms; term(acc, i) returns acc + term i as the kernel rounds it.
float reduce(std::size_t n, const Order& order, const std::function<float(float, std::size_t)>& term);

// Subnormals are flushed while it lives (x86; elsewhere it does nothing).
class FlushToZero {
 public:
  explicit FlushToZero(bool on);
  ~FlushToZero();

 private:
  unsigned saved_ = 0;
};

enum class Softmax {
  plain,
  reciprocal,
  online,
  online_blocks,
  exp2_prescaled,
  exp2_fma,
  /* bugs: */ tail_leak,
  unshifted
};
Values softmax(const Problem& p, Softmax form, const Order& order = {});

enum class Layernorm {
  two_pass,
  divide_by_sqrt,
  fused_affine,
  welford,
  welford_lanes,
  naive,
  /* bugs: */ eps_outside,
  bessel
};
Values layernorm(const Problem& p, Layernorm form, const Order& order = {});

enum class Rmsnorm { scale_then_weight, weight_first, divide, cast_before_weight, /* bugs: */ no_sqrt, drops_last };
Values rmsnorm(const Problem& p, Rmsnorm form, const Order& order = {});

enum class L2norm {
  divide,      // by max(norm, eps), as the form declares
  reciprocal,  // times 1 / max(norm, eps)
  rsqrt,       // of max(sum, eps^2); of sum + eps
  /* bugs: */ no_sqrt,
  drops_last,
  mean_square
};
// eps: max, sqrt or add, which may be another form than the declared one.
Values l2norm(const Problem& p, L2norm form, const Order& order = {}, std::string eps = {});

enum class Gelu { erf, erfc, erf_fma, tanh, tanh_exp, tanh_sigmoid, tanh_approx, /* bugs: */ no_half };
Values gelu(const Problem& p, Gelu form);

enum class Matmul { plain, tensor_core, tf32, split_k_16, accumulate_16, kahan, /* bugs: */ overwrite, drops_last };
Values matmul(const Problem& p, Matmul form, const Order& order = {});

enum class Attention {
  three_pass,
  normalised_first,
  scale_first,
  exp2_prescaled,
  exp2_fma,
  online,
  flash,
  split_keys,
  additive_mask,
  tensor_core,
  tf32,
  p_cast,
  s_cast,
  split_keys_16,
  /* bugs: */ no_scale,
  inverse_d,
  no_rescale,
  sees_next
};
Values attention(const Problem& p, Attention form, const Order& order = {});

// ---- judging ----
std::uint64_t output_poison(DType t);
std::vector<std::byte> stored(DType t, const Values& y);             // to nearest even
std::vector<std::byte> stored_truncating(DType t, const Values& y);  // toward zero
Verdict judge_bytes(const Problem& p, std::vector<std::byte> bytes, const std::vector<Reference>* refs = nullptr,
                    std::vector<std::uint32_t> tiles = {});
Verdict judge_values(const Problem& p, const Values& y, const std::vector<Reference>* refs = nullptr);

// Tier two as the engine applies it: how many of the permuted runs are beyond E again.
int beyond_after_permutation(const Problem& p, const std::function<Values(const Problem&)>& kernel);
// Whether the run ends as a finding under the two-tier rule.
bool is_finding(const Problem& p, const std::function<Values(const Problem&)>& kernel, bool* drifted = nullptr);

}  // namespace warpfuzz::test
