// What each rival oracle runs for layernorm.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"rows", "cols"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "16x64x256x256 over the last three", "rows of 65536 for 4194304; weight 1, bias 0",
     kShapes<S{1, 65536}>, kUnit, kOnes, kZeros, 5},
    {"kernelbench-v0", "16x64x256x256 over the last three", "rows of 65536 for 4194304; weight 1, bias 0",
     kShapes<S{1, 65536}>, kNormal, kOnes, kZeros, 5},
    {"tritonbench", "2x3x128, 4x3x128, 2x3x256, 2x4x128", "", kShapes<S{6, 128}, S{12, 128}, S{6, 256}, S{8, 128}>,
     kNormal, kNormal, kAbsent},
    {"geak", "1823x781, 2x128, 1x4, 128x2, 1x128, 8192x8192, 1x359, 1x131072, 1x89999", "row lengths",
     kShapes<S{32, 781}, S{2, 128}, S{1, 4}, S{128, 2}, S{1, 128}, S{4, 8192}, S{1, 359}, S{1, 131072}, S{1, 89999}>,
     kNormal, kUnit, kUnit},
    {"robust-kbench", "16x64x256x256 over the last three; two more chosen here", "rows of 65536; weight 1, bias 0",
     kShapes<S{1, 65536}, S{4, 4096}, S{4, 1000}>, kNormal, kOnes, kZeros, 5, 2},
    {"flashinfer-bench", "no such op; tokens x 4096", "the row", kShapes<S{1, 4096}, S{7, 4096}>, kNormal, kNormal,
     kNormal, 3},
    {"backendbench", "1x2x3 over 3 dims, 2x2x3 over 2, 1, 1x2", "", kShapes<S{1, 6}, S{2, 6}, S{1, 1}, S{1, 2}>, kNine,
     kNine, kNine},
    {"assert_close", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kOnes, kZeros},
};

constexpr PaperSampling kPaper[] = {{"", kPaperNormRows, paper_rows}};

}  // namespace

const PeerFamily& layernorm() {
  static constexpr PeerFamily kFamily{"layernorm", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
