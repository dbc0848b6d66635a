// What each rival oracle runs for rmsnorm.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"rows", "cols"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "112x64x512x512 over the second", "the row of 64; mean square 1/3", kShapes<S{128, 64}>, kUnit,
     kAbsent, kAbsent, 5},
    {"kernelbench-v0", "16x64x256x256 over the second", "the row of 64; mean square 1", kShapes<S{128, 64}>, kNormal,
     kAbsent, kAbsent, 5},
    {"tritonbench", "2x4x1024, 3x4x1024, 2x5x1024", "", kShapes<S{8, 1024}, S{12, 1024}, S{10, 1024}>, kNormal, kNormal,
     kAbsent},
    {"geak", "1x4, 2x10, 256x4096, 4096x8192, 1x31744, 8192x65536, 873x1245", "row lengths; weight 1",
     kShapes<S{1, 4}, S{2, 10}, S{8, 4096}, S{4, 8192}, S{1, 31744}, S{1, 65536}, S{16, 1245}>, kNormal, kOnes,
     kAbsent},
    {"robust-kbench", "16x64x256x256 over the second; two more chosen here", "the row of 64",
     kShapes<S{128, 64}, S{4, 4096}, S{4, 1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "tokens x 4096", "the row", kShapes<S{1, 4096}, S{7, 4096}>, kNormal, kNormal, kAbsent, 3},
    {"backendbench", "1x2x3 over 3 dims, 2x2x3 over 2, 1, 1x2", "", kShapes<S{1, 6}, S{2, 6}, S{1, 1}, S{1, 2}>, kNine,
     kNine, kAbsent},
    {"assert_close", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kOnes, kAbsent},
};

constexpr PaperSampling kPaper[] = {{"", kPaperNormRows, paper_rows}};

}  // namespace

const PeerFamily& rmsnorm() {
  static constexpr PeerFamily kFamily{"rmsnorm", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
