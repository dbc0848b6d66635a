// How other tools decide whether a kernel is right, as formulas: baselines to measure against, no part of a verdict.
// All compare with a reference rounded to the output's dtype: what a reference of the same precision comes to at its best.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "numeric/dtype.h"

namespace warpfuzz {

enum class PeerRule : std::uint8_t {
  allclose,     // |got - ref| <= atol + rtol * |ref|
  both_bounds,  // wrong only where the absolute and the relative error are both too large
  printed,      // the texts of the two printed tensors are the same
};

struct PeerOracle {
  std::string_view name, label;  // "kernelbench", "KernelBench"
  PeerRule rule = PeerRule::allclose;
  bool equal_nan = false;       // NaN agrees with NaN; otherwise any NaN fails
  bool infinite_fails = false;  // any Inf fails too; otherwise equal infinities agree
};
std::span<const PeerOracle> peer_oracles();
const PeerOracle* peer_oracle(std::string_view name);

struct PeerTolerance {
  double atol = 0, rtol = 0;
};
// Empty where the tool does not judge that op in that dtype, and for a comparison of printed text. The paper knew bf16 as
// fp16 in another storage: its column for fp16 is used for both.
std::optional<PeerTolerance> peer_tolerance(const PeerOracle& peer, std::string_view op, DType t);
bool peer_has_rule(const PeerOracle& peer, std::string_view op, DType t);

// One element. Not for PeerRule::printed.
bool peer_accepts(const PeerOracle& peer, PeerTolerance tolerance, double got, double reference);

struct PeerComparison {
  bool accepted = true;
  std::size_t element = 0, refused = 0;  // the first that is refused, and how many are
  std::string got_text, reference_text;  // of printed texts: the first words that differ
};
// Every element; the references are rounded to t first. Empty when the tool does not judge the op in that dtype.
std::optional<PeerComparison> peer_compare(const PeerOracle& peer, std::string_view op, DType t,
                                           std::span<const std::uint32_t> shape, std::span<const double> got,
                                           std::span<const double> reference);

}  // namespace warpfuzz
