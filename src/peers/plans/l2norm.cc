// What each rival oracle runs for l2norm.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"rows", "cols"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "32768x65535", "the row of 65535: every output below 1e-2", kShapes<S{1, 65535}>, kUnit, kAbsent,
     kAbsent, 5},
    {"kernelbench-v0", "16x16384", "the row", kShapes<S{4, 16384}>, kNormal, kAbsent, kAbsent, 5},
    {"tritonbench", "4x8, 2x8, 4x4, 8x8", "", kShapes<S{4, 8}, S{2, 8}, S{4, 4}, S{8, 8}>, kNormal, kAbsent, kAbsent},
    {"geak", "4x8, 2x8, 4x4, 8x8", "", kShapes<S{4, 8}, S{2, 8}, S{4, 4}, S{8, 8}>, kNormal, kAbsent, kAbsent},
    {"robust-kbench", "16x16384; two more chosen here", "the row", kShapes<S{2, 16384}, S{4, 4096}, S{4, 1000}>,
     kNormal, kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "no such op; heads x 128", "the row", kShapes<S{32, 128}>, kNormal, kAbsent, kAbsent, 3},
    {"backendbench", "2x3x4x5 over the second", "the row of 3", kShapes<S{40, 3}>, kNine, kAbsent, kAbsent},
    {"assert_close", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kAbsent, kAbsent},
};

constexpr PaperSampling kPaper[] = {{"", kPaperNormRows, paper_rows}};

}  // namespace

const PeerFamily& l2norm() {
  static constexpr PeerFamily kFamily{"l2norm", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
