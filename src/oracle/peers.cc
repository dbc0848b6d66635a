// The formulas and constants of other tools' checks.
#include "oracle/peers.h"

#include <algorithm>
#include <cmath>

#include "numeric/round.h"

namespace warpfuzz {
namespace {

constexpr PeerOracle kPeers[] = {
    {"kernelbench", "KernelBench (2026)"},
    {"kernelbench-v0", "KernelBench v0"},
    {"geak", "GEAK's interface"},
    {"geak-runner", "GEAK's runner"},
    {"robust-kbench", "robust-kbench"},
    {"flashinfer-bench", "FlashInfer-Bench", PeerRule::both_bounds, false, true},
    {"backendbench", "BackendBench", PeerRule::allclose, true},
    {"assert_close", "torch.testing.assert_close"},
    {"illusion-paper", "The Correctness Illusion (absolute per op and dtype)"},
};

// Absolute tolerances of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv 2606.20128): fp32 and fp16.
struct PaperRow {
  std::string_view op;
  double fp32, fp16;
};
constexpr PaperRow kPaper[] = {
    {"softmax", 1e-5, 2e-2},
    {"gelu", 1e-4, 5e-2},
    {"silu", 1e-4, 5e-2},
    {"rmsnorm", 1e-4, 5e-2},
    {"l2norm", 1e-4, 5e-2},
    {"layernorm", 1e-4, 5e-2},
    {"sigmoid", 1e-4, 5e-2},
    {"tanh", 1e-4, 5e-2},
    {"elu", 1e-4, 5e-2},
    {"relu", 1e-5, 1e-3},
    {"leaky_relu", 1e-5, 1e-3},
    {"attention", 1e-3, 5e-2},
    {"flash_attention", 1e-3, 5e-2},
    {"matmul", 5e-2, 0},
};

std::optional<PeerTolerance> paper_tolerance(std::string_view op, DType t) {
  for (const PaperRow& row : kPaper) {
    if (row.op != op) continue;
    const double atol = t == DType::f32 ? row.fp32 : t == DType::f16 ? row.fp16 : 0;
    if (atol > 0) return PeerTolerance{atol, 0};
  }
  return std::nullopt;
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

std::optional<bool> peer_accepts_all(const PeerOracle& peer, std::string_view op, DType t, std::span<const double> got,
                                     std::span<const double> reference) {
  const auto tolerance = peer_tolerance(peer, op, t);
  if (!tolerance) return std::nullopt;
  if (got.size() != reference.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!peer_accepts(peer, *tolerance, got[i], round_to(t, reference[i]))) return false;
  return true;
}

}  // namespace warpfuzz
