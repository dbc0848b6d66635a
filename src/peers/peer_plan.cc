// The plans as data. Where the benchmarks' sources say what they run, that is what stands here:
//   KernelBench level 1: torch.rand inputs of one shape an op (2026); torch.randn and smaller shapes in its first release.
//   TritonBench-G: the scripts softmax_triton1, layernorm_fwd_triton, rmsnorm_triton, l2_norm_triton1, triton_matmul, relu_triton_kernel and
//   attn_fwd_triton; torch.randn but for relu, whose values are literals. The scripts print nothing, so that upstream every candidate
//   that runs passes; judged here is the text that printing their results gives.
//   GEAK: its ROCm set's softmax, layernorm (weights torch.rand) and rmsnorm (weights 1), its TritonBench set for the rest.
//   robust-kbench: torch.randn, five seeds a configuration, the candidate called twice.
//   FlashInfer-Bench: torch.randn for every tensor; shapes of one LLM (hidden 4096, intermediate 14336, head 128).
//   BackendBench: PyTorch's OpInfo samples, make_tensor's uniform [-9, 9).
#include "peers/peer_plan.h"

#include <algorithm>

namespace warpfuzz {
namespace {

using Kind = PeerDraw::Kind;
using Names = std::string_view;

constexpr Names kElementwise[] = {"gelu", "silu", "relu", "leaky_relu", "sigmoid", "tanh", "elu"};
constexpr Names kSoftmax[] = {"softmax"}, kLayernorm[] = {"layernorm"}, kRmsnorm[] = {"rmsnorm"},
                kL2norm[] = {"l2norm"}, kMatmul[] = {"matmul"}, kAttention[] = {"attention"};
constexpr Names kFlat[] = {"n"}, kRows[] = {"rows", "cols"}, kProduct[] = {"M", "N", "K"},
                kHeads[] = {"B", "M", "N", "D"};
constexpr PeerFamily kFamilies[] = {
    {"elementwise", kElementwise, kFlat}, {"softmax", kSoftmax, kRows}, {"layernorm", kLayernorm, kRows},
    {"rmsnorm", kRmsnorm, kRows},         {"l2norm", kL2norm, kRows},   {"matmul", kMatmul, kProduct},
    {"attention", kAttention, kHeads},
};

constexpr PeerDraw kUnit{Kind::uniform, 0, 1}, kNormal{Kind::normal}, kNine{Kind::uniform, -9, 9},
    kOnes{Kind::constant, 1}, kZeros{Kind::constant, 0}, kAbsent{};
constexpr double kReluScript[] = {-3, -1, -0.5, -2, -5, 3, 1, 0.5, 2, 5, -3, -1, 0, 2, 5, 0, 0, 0, 0, 0};
constexpr PeerDraw kScript{Kind::listed, 0, 0, kReluScript};

// A list of shapes with static storage.
template <PeerShape... S>
constexpr PeerShape kShapes[] = {S...};
using S = PeerShape;

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "elementwise", "4096x393216", "no negative input", kShapes<S{24576}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench", "softmax", "4096x393216",
     "H % 128 == 0, no power of two; outputs so small (at most 4e-6 there, 5e-4 here) that masked lanes change them by less than 1e-4",
     kShapes<S{4, 3072}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench", "layernorm", "16x64x256x256 over the last three", "rows of 65536 for 4194304; weight 1, bias 0",
     kShapes<S{1, 65536}>, kUnit, kOnes, kZeros, 5},
    {"kernelbench", "rmsnorm", "112x64x512x512 over the second", "the row of 64; mean square 1/3", kShapes<S{128, 64}>,
     kUnit, kAbsent, kAbsent, 5},
    {"kernelbench", "l2norm", "32768x65535", "the row of 65535: every output below 1e-2", kShapes<S{1, 65535}>, kUnit,
     kAbsent, kAbsent, 5},
    {"kernelbench", "matmul", "4096x4096x4096", "K, many blocks of it", kShapes<S{16, 16, 4096}>, kUnit, kAbsent,
     kAbsent, 5},
    {"kernelbench", "attention", "32x32x512x1024", "N = 512 > 32; head 128", kShapes<S{1, 4, 512, 128}>, kUnit, kAbsent,
     kAbsent, 5},

    {"kernelbench-v0", "elementwise", "16x16384", "both signs", kShapes<S{16384}>, kNormal, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "softmax", "16x16384", "a power of two, H % 128 == 0", kShapes<S{4, 4096}>, kNormal, kAbsent,
     kAbsent, 5},
    {"kernelbench-v0", "layernorm", "16x64x256x256 over the last three", "rows of 65536 for 4194304; weight 1, bias 0",
     kShapes<S{1, 65536}>, kNormal, kOnes, kZeros, 5},
    {"kernelbench-v0", "rmsnorm", "16x64x256x256 over the second", "the row of 64; mean square 1", kShapes<S{128, 64}>,
     kNormal, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "l2norm", "16x16384", "the row", kShapes<S{4, 16384}>, kNormal, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "matmul", "2048x2048x2048", "K, many blocks of it", kShapes<S{16, 16, 2048}>, kNormal, kAbsent,
     kAbsent, 5},
    {"kernelbench-v0", "attention", "no such problem; 32x32x512x1024 of later", "N = 512 > 32; head 128",
     kShapes<S{1, 4, 512, 128}>, kNormal, kAbsent, kAbsent, 5},

    {"tritonbench", "elementwise", "5, 5, 5, 5 (relu's script)", "", kShapes<S{5}, S{5}, S{5}, S{5}>, kScript, kAbsent,
     kAbsent},
    {"tritonbench", "softmax", "128x512, x1024, x2048, x4096", "row lengths: powers of two",
     kShapes<S{128, 512}, S{128, 1024}, S{32, 2048}, S{16, 4096}>, kNormal, kAbsent, kAbsent},
    {"tritonbench", "layernorm", "2x3x128, 4x3x128, 2x3x256, 2x4x128", "",
     kShapes<S{6, 128}, S{12, 128}, S{6, 256}, S{8, 128}>, kNormal, kNormal, kAbsent},
    {"tritonbench", "rmsnorm", "2x4x1024, 3x4x1024, 2x5x1024", "", kShapes<S{8, 1024}, S{12, 1024}, S{10, 1024}>,
     kNormal, kNormal, kAbsent},
    {"tritonbench", "l2norm", "4x8, 2x8, 4x4, 8x8", "", kShapes<S{4, 8}, S{2, 8}, S{4, 4}, S{8, 8}>, kNormal, kAbsent,
     kAbsent},
    {"tritonbench", "matmul", "256x256x128", "K = 128, more than 6 rows and columns", kShapes<S{64, 64, 128}>, kNormal,
     kAbsent, kAbsent},
    {"tritonbench", "attention", "2x4x128x128", "N = 128 > 32, D", kShapes<S{2, 8, 128, 128}>, kNormal, kAbsent,
     kAbsent},

    {"geak", "elementwise", "5, 5, 5, 5 (relu's script)", "", kShapes<S{5}, S{5}, S{5}, S{5}>, kScript, kAbsent,
     kAbsent},
    {"geak", "softmax", "1823x781, 1x1, 128x1, 1x128, 8192x8192, 1x359, 1x89999",
     "row lengths up to 4096, odd and even ones",
     kShapes<S{32, 781}, S{1, 1}, S{128, 1}, S{1, 128}, S{4, 4096}, S{1, 359}, S{1, 4095}>, kNormal, kAbsent, kAbsent},
    {"geak", "layernorm", "1823x781, 2x128, 1x4, 128x2, 1x128, 8192x8192, 1x359, 1x131072, 1x89999", "row lengths",
     kShapes<S{32, 781}, S{2, 128}, S{1, 4}, S{128, 2}, S{1, 128}, S{4, 8192}, S{1, 359}, S{1, 131072}, S{1, 89999}>,
     kNormal, kUnit, kUnit},
    {"geak", "rmsnorm", "1x4, 2x10, 256x4096, 4096x8192, 1x31744, 8192x65536, 873x1245", "row lengths; weight 1",
     kShapes<S{1, 4}, S{2, 10}, S{8, 4096}, S{4, 8192}, S{1, 31744}, S{1, 65536}, S{16, 1245}>, kNormal, kOnes,
     kAbsent},
    {"geak", "l2norm", "4x8, 2x8, 4x4, 8x8", "", kShapes<S{4, 8}, S{2, 8}, S{4, 4}, S{8, 8}>, kNormal, kAbsent,
     kAbsent},
    {"geak", "matmul", "256x256x128", "K = 128", kShapes<S{64, 64, 128}>, kNormal, kAbsent, kAbsent},
    {"geak", "attention", "2x4x128x128", "N = 128 > 32, D", kShapes<S{2, 8, 128, 128}>, kNormal, kAbsent, kAbsent},

    {"robust-kbench", "elementwise", "16x16384; two more chosen here", "both signs",
     kShapes<S{16384}, S{4096}, S{1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"robust-kbench", "softmax", "16x16384; two more chosen here", "a power of two, H % 128 == 0; one row of 1000",
     kShapes<S{4, 4096}, S{4, 1024}, S{4, 1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"robust-kbench", "layernorm", "16x64x256x256 over the last three; two more chosen here",
     "rows of 65536; weight 1, bias 0", kShapes<S{1, 65536}, S{4, 4096}, S{4, 1000}>, kNormal, kOnes, kZeros, 5, 2},
    {"robust-kbench", "rmsnorm", "16x64x256x256 over the second; two more chosen here", "the row of 64",
     kShapes<S{128, 64}, S{4, 4096}, S{4, 1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"robust-kbench", "l2norm", "16x16384; two more chosen here", "the row",
     kShapes<S{2, 16384}, S{4, 4096}, S{4, 1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"robust-kbench", "matmul", "2048x2048x2048; two more chosen here", "K, many blocks of it",
     kShapes<S{16, 16, 2048}, S{32, 32, 256}, S{33, 17, 100}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"robust-kbench", "attention", "32x32x512x1024; two more chosen here", "N > 32; head 128",
     kShapes<S{1, 4, 512, 128}, S{2, 8, 128, 64}, S{1, 8, 100, 64}>, kNormal, kAbsent, kAbsent, 5, 2},

    {"flashinfer-bench", "elementwise", "no such op; tokens x 14336 of an MLP", "the row", kShapes<S{14336}>, kNormal,
     kAbsent, kAbsent, 3},
    {"flashinfer-bench", "softmax", "no such op; tokens x 128256 of a vocabulary", "H % 128 == 0, no power of two",
     kShapes<S{4, 3968}>, kNormal, kAbsent, kAbsent, 3},
    {"flashinfer-bench", "layernorm", "no such op; tokens x 4096", "the row", kShapes<S{1, 4096}, S{7, 4096}>, kNormal,
     kNormal, kNormal, 3},
    {"flashinfer-bench", "rmsnorm", "tokens x 4096", "the row", kShapes<S{1, 4096}, S{7, 4096}>, kNormal, kNormal,
     kAbsent, 3},
    {"flashinfer-bench", "l2norm", "no such op; heads x 128", "the row", kShapes<S{32, 128}>, kNormal, kAbsent, kAbsent,
     3},
    {"flashinfer-bench", "matmul", "tokens x 4096 x 4096", "K, many blocks of it",
     kShapes<S{1, 64, 4096}, S{7, 16, 4096}>, kNormal, kAbsent, kAbsent, 3},
    {"flashinfer-bench", "attention", "ragged batches, head 128", "N > 32 and no multiple of it, D",
     kShapes<S{1, 1, 257, 128}, S{1, 17, 100, 128}>, kNormal, kAbsent, kAbsent, 3},

    {"backendbench", "elementwise", "20x20 and a scalar", "", kShapes<S{400}, S{1}>, kNine, kAbsent, kAbsent},
    {"backendbench", "softmax", "5, 5x5, 5x10x5", "", kShapes<S{1, 5}, S{5, 5}, S{50, 5}>, kNine, kAbsent, kAbsent},
    {"backendbench", "layernorm", "1x2x3 over 3 dims, 2x2x3 over 2, 1, 1x2", "",
     kShapes<S{1, 6}, S{2, 6}, S{1, 1}, S{1, 2}>, kNine, kNine, kNine},
    {"backendbench", "rmsnorm", "1x2x3 over 3 dims, 2x2x3 over 2, 1, 1x2", "",
     kShapes<S{1, 6}, S{2, 6}, S{1, 1}, S{1, 2}>, kNine, kNine, kAbsent},
    {"backendbench", "l2norm", "2x3x4x5 over the second", "the row of 3", kShapes<S{40, 3}>, kNine, kAbsent, kAbsent},
    {"backendbench", "matmul", "5x5x10, 1x1x20", "", kShapes<S{5, 5, 10}, S{1, 1, 20}>, kNine, kAbsent, kAbsent},
    {"backendbench", "attention", "4x3 queries, 6 keys, head 8", "", kShapes<S{4, 3, 6, 8}>, kNine, kAbsent, kAbsent},

    {"assert_close", "elementwise", "none of its own: a unit test's one shape", "", kShapes<S{4096}>, kNormal, kAbsent,
     kAbsent},
    {"assert_close", "softmax", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kAbsent, kAbsent},
    {"assert_close", "layernorm", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kOnes, kZeros},
    {"assert_close", "rmsnorm", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kOnes, kAbsent},
    {"assert_close", "l2norm", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kAbsent, kAbsent},
    {"assert_close", "matmul", "none of its own", "", kShapes<S{64, 64, 64}>, kNormal, kAbsent, kAbsent},
    {"assert_close", "attention", "none of its own", "", kShapes<S{2, 64, 64, 64}>, kNormal, kAbsent, kAbsent},
};

}  // namespace

std::span<const PeerFamily> peer_families() { return kFamilies; }

const PeerFamily* peer_family(std::string_view op) {
  for (const PeerFamily& f : kFamilies)
    if (std::find(f.ops.begin(), f.ops.end(), op) != f.ops.end()) return &f;
  return nullptr;
}

std::span<const PeerPlan> peer_plans() { return kPlans; }

const PeerPlan* peer_plan(std::string_view oracle, std::string_view op) {
  const PeerFamily* family = peer_family(op);
  if (!family) return nullptr;
  if (oracle == "geak-runner") oracle = "geak";  // one set of tests, two tolerances
  for (const PeerPlan& p : kPlans)
    if (p.oracle == oracle && p.family == family->name) return &p;
  return nullptr;
}

}  // namespace warpfuzz
