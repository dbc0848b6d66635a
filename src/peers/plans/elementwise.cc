// What each rival oracle runs for ops that map each element by itself.
#include <algorithm>

#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"n"};

constexpr double kReluScript[] = {-3, -1, -0.5, -2, -5, 3, 1, 0.5, 2, 5, -3, -1, 0, 2, 5, 0, 0, 0, 0, 0};
constexpr PeerDraw kScript{Kind::listed, 0, 0, kReluScript};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "4096x393216", "no negative input", kShapes<S{24576}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "16x16384", "both signs", kShapes<S{16384}>, kNormal, kAbsent, kAbsent, 5},
    {"tritonbench", "5, 5, 5, 5 (relu's script)", "", kShapes<S{5}, S{5}, S{5}, S{5}>, kScript, kAbsent, kAbsent},
    {"geak", "5, 5, 5, 5 (relu's script)", "", kShapes<S{5}, S{5}, S{5}, S{5}>, kScript, kAbsent, kAbsent},
    {"robust-kbench", "16x16384; two more chosen here", "both signs", kShapes<S{16384}, S{4096}, S{1000}>, kNormal,
     kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "no such op; tokens x 14336 of an MLP", "the row", kShapes<S{14336}>, kNormal, kAbsent,
     kAbsent, 3},
    {"backendbench", "20x20 and a scalar", "", kShapes<S{400}, S{1}>, kNine, kAbsent, kAbsent},
    {"assert_close", "none of its own: a unit test's one shape", "", kShapes<S{4096}>, kNormal, kAbsent, kAbsent},
};

constexpr PaperSampling kPaper[] = {{"", kPaperRows, [](std::span<const std::uint32_t> d) -> PeerShape {
                                       return {std::min(d[0] * d[1] * d[2], kPaperMostElements)};
                                     }}};

}  // namespace

const PeerFamily& elementwise() {
  static constexpr PeerFamily kFamily{"elementwise", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
