// The plans as data, one file an op family. Where the benchmarks' sources say what they run, that is what stands there:
//   KernelBench level 1: torch.rand inputs of one shape an op (2026); torch.randn and smaller shapes in its first release.
//   TritonBench-G: the scripts softmax_triton1, layernorm_fwd_triton, rmsnorm_triton, l2_norm_triton1, triton_matmul, relu_triton_kernel and
//   attn_fwd_triton; torch.randn but for relu, whose values are literals. The scripts print nothing, so that upstream every candidate
//   that runs passes; judged here is the text that printing their results gives.
//   GEAK: its ROCm set's softmax, layernorm (weights torch.rand) and rmsnorm (weights 1), its TritonBench set for the rest.
//   robust-kbench: torch.randn, five seeds a configuration, the candidate called twice.
//   FlashInfer-Bench: torch.randn for every tensor; shapes of one LLM (hidden 4096, intermediate 14336, head 128).
//   BackendBench: PyTorch's OpInfo samples, make_tensor's uniform [-9, 9).
#pragma once
#include <algorithm>

#include "peers/peer_plan.h"

namespace warpfuzz::plans {

// Each family of ops/ops.def has one; the linker names those that are missing.
#define WARPFUZZ_OP(NAME, FAMILY, ...) const PeerFamily& FAMILY();
#include "ops/ops.def"
#undef WARPFUZZ_OP

using Kind = PeerDraw::Kind;
inline constexpr PeerDraw kUnit{Kind::uniform, 0, 1}, kNormal{Kind::normal}, kNine{Kind::uniform, -9, 9},
    kOnes{Kind::constant, 1}, kZeros{Kind::constant, 0}, kAbsent{};

// A list of shapes with static storage.
template <PeerShape... S>
inline constexpr PeerShape kShapes[] = {S...};
using S = PeerShape;

// The paper's batches, sequences and hidden sizes. Rows and elements are independent: fewer of them lose nothing.
inline constexpr std::uint32_t kPaperMostRows = 128, kPaperMostElements = 32768;
inline constexpr std::uint32_t kBatch[] = {1, 2, 8}, kSequence[] = {1, 7, 128}, kHidden[] = {1, 3, 256, 1025},
                               kNormHidden[] = {2, 3, 256, 1025};
inline constexpr PaperAxis kPaperRows[] = {{"B", kBatch}, {"S", kSequence}, {"H", kHidden}},
                           kPaperNormRows[] = {{"B", kBatch}, {"S", kSequence}, {"H", kNormHidden}};
constexpr PeerShape paper_rows(std::span<const std::uint32_t> d) {
  return {std::min(d[0] * d[1], kPaperMostRows), d[2]};
}

}  // namespace warpfuzz::plans
