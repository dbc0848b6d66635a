// Tier two: the same values in another arrangement, deterministic by the case.
#include <utility>

#include "numeric/hash.h"
#include "oracle/judge.h"

namespace warpfuzz {

std::vector<std::vector<float>> permuted_inputs(const Schema& s, const TestCase&,
                                                std::span<const std::vector<float>> in, std::uint64_t case_hash,
                                                int round) {
  std::vector<std::vector<float>> out(in.begin(), in.end());
  for (std::size_t t = 0; t < out.size() && t < s.tensors.size(); ++t) {
    const TensorSpec& spec = s.tensors[t];
    const bool values = spec.type == TensorType::in || spec.type == TensorType::out || spec.type == TensorType::fp32;
    if (!values || spec.index_dim >= 0 || (spec.role != Role::in && spec.role != Role::inout)) continue;
    Rng rng(hash_combine(hash_combine(case_hash, static_cast<std::uint64_t>(round)), t));
    for (std::size_t i = out[t].size(); i > 1; --i)
      std::swap(out[t][i - 1], out[t][rng.below(static_cast<std::uint32_t>(i))]);
  }
  return out;
}

}  // namespace warpfuzz
