// How other tools decide whether a kernel is right, as formulas: baselines to measure against, no part of a verdict.
// All compare with a reference rounded to the output's dtype. TritonBench is missing: it compares printed text.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "numeric/dtype.h"

namespace warpfuzz {

enum class PeerRule : std::uint8_t {
  allclose,     // |got - ref| <= atol + rtol * |ref|
  both_bounds,  // wrong only where the absolute and the relative error are both too large
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
  double atol, rtol;
};
// Empty where the tool does not judge that op in that dtype (the paper's table has six ops' worth of entries).
std::optional<PeerTolerance> peer_tolerance(const PeerOracle& peer, std::string_view op, DType t);

bool peer_accepts(const PeerOracle& peer, PeerTolerance tolerance, double got, double reference);
// Every element; the references are rounded to t first. Empty when the tool does not judge the op in that dtype.
std::optional<bool> peer_accepts_all(const PeerOracle& peer, std::string_view op, DType t, std::span<const double> got,
                                     std::span<const double> reference);

}  // namespace warpfuzz
