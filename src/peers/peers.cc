// The formulas and constants of other tools' checks.
#include "peers/peers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/round.h"
#include "oracle/printed.h"

namespace warpfuzz {
namespace {

constexpr PeerOracle kPeers[] = {
    {"kernelbench", "KernelBench (2026)"},
    {"kernelbench-v0", "KernelBench v0"},
    {"tritonbench", "TritonBench", PeerRule::printed},
    {"geak", "GEAK's interface"},
    {"geak-runner", "GEAK's runner"},
    {"robust-kbench", "robust-kbench"},
    {"flashinfer-bench", "FlashInfer-Bench", PeerRule::both_bounds, false, true},
    {"backendbench", "BackendBench", PeerRule::allclose, true},
    {"assert_close", "torch.testing.assert_close"},
    {"illusion-paper", "The Correctness Illusion (absolute per op and dtype)"},
};

// Absolute tolerances of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv 2606.20128): fp32 and fp16. Flash attention has those of attention.
struct PaperRow {
  std::string_view op;
  double fp32, fp16;
};
constexpr PaperRow kPaper[] = {
    {"softmax", 1e-5, 2e-2}, {"gelu", 1e-4, 5e-2},      {"silu", 1e-4, 5e-2},       {"rmsnorm", 1e-4, 5e-2},
    {"l2norm", 1e-4, 5e-2},  {"layernorm", 1e-4, 5e-2}, {"sigmoid", 1e-4, 5e-2},    {"tanh", 1e-4, 5e-2},
    {"elu", 1e-4, 5e-2},     {"relu", 1e-5, 1e-3},      {"leaky_relu", 1e-5, 1e-3}, {"attention", 1e-3, 5e-2},
    {"matmul", 5e-2, 0},
};

std::optional<PeerTolerance> paper_tolerance(std::string_view op, DType t) {
  for (const PaperRow& row : kPaper) {
    if (row.op != op) continue;
    const double atol = t == DType::f32 ? row.fp32 : row.fp16;
    if (atol > 0) return PeerTolerance{atol, 0};
  }
  return std::nullopt;
}

// The word of text around the first place where other differs from it.
std::string first_difference(const std::string& text, const std::string& other) {
  constexpr const char* kBetween = "[], \n";
  const auto at = static_cast<std::size_t>(std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first -
                                           text.begin());
  const std::size_t before = at ? text.find_last_of(kBetween, at - 1) : std::string::npos,
                    end = text.find_first_of(kBetween, at);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, std::min(end, text.size()) - begin);
}

}  // namespace

std::span<const PeerOracle> peer_oracles() { return kPeers; }
const PeerOracle* peer_oracle(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(kPeers), std::end(kPeers), [name](const PeerOracle& p) { return p.name == name; });
  return at == std::end(kPeers) ? nullptr : at;
}

std::optional<PeerTolerance> peer_tolerance(const PeerOracle& peer, std::string_view op, DType t) {
  const bool fp32 = t == DType::f32;
  if (!fp32 && t != DType::f16 && t != DType::bf16) return std::nullopt;
  const auto same = [](double tolerance) { return PeerTolerance{tolerance, tolerance}; };
  if (peer.name == "kernelbench") return same(fp32 ? 1e-4 : 1e-2);
  if (peer.name == "kernelbench-v0" || peer.name == "flashinfer-bench" || peer.name == "backendbench")
    return same(1e-2);
  if (peer.name == "geak") return PeerTolerance{1e-3, 1e-1};
  if (peer.name == "geak-runner") return PeerTolerance{1e-2, 1e-1};
  if (peer.name == "robust-kbench") return fp32 ? std::optional(same(1e-5)) : std::nullopt;
  if (peer.name == "assert_close") return PeerTolerance{1e-5, fp32 ? 1.3e-6 : t == DType::f16 ? 1e-3 : 1.6e-2};
  if (peer.name == "illusion-paper") return paper_tolerance(op, t);
  return std::nullopt;
}

bool peer_accepts(const PeerOracle& peer, PeerTolerance tolerance, double got, double reference) {
  if (std::isnan(got) || std::isnan(reference)) return peer.equal_nan && std::isnan(got) && std::isnan(reference);
  if (std::isinf(got) || std::isinf(reference)) return !peer.infinite_fails && got == reference;
  const double error = std::fabs(got - reference), size = std::fabs(reference);
  if (peer.rule == PeerRule::both_bounds) return error <= tolerance.atol || error <= tolerance.rtol * size;
  return error <= tolerance.atol + tolerance.rtol * size;
}

bool peer_has_rule(const PeerOracle& peer, std::string_view op, DType t) {
  if (peer.rule == PeerRule::printed) return t == DType::f32 || t == DType::f16 || t == DType::bf16;
  return peer_tolerance(peer, op, t).has_value();
}

std::optional<PeerComparison> peer_compare(const PeerOracle& peer, std::string_view op, DType t,
                                           std::span<const std::uint32_t> shape, std::span<const double> got,
                                           std::span<const double> reference) {
  if (!peer_has_rule(peer, op, t)) return std::nullopt;
  PeerComparison c;
  if (got.size() != reference.size()) return PeerComparison{false, std::min(got.size(), reference.size()), 1, "", ""};
  std::vector<double> rounded(reference.size());
  std::transform(reference.begin(), reference.end(), rounded.begin(), [t](double r) { return round_to(t, r); });
  if (peer.rule == PeerRule::printed) {
    const std::string a = printed_tensor(got, shape), b = printed_tensor(rounded, shape);
    if (a == b) return c;
    c = {false, 0, 1, first_difference(a, b), first_difference(b, a)};
    return c;
  }
  const PeerTolerance tolerance = *peer_tolerance(peer, op, t);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (peer_accepts(peer, tolerance, got[i], rounded[i])) continue;
    if (c.accepted) c.element = i;
    c.accepted = false;
    ++c.refused;
  }
  return c;
}

}  // namespace warpfuzz
