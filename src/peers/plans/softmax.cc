// What each rival oracle runs for softmax.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"rows", "cols"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "4096x393216",
     "H % 128 == 0, no power of two; outputs so small (at most 4e-6 there, 5e-4 here) that masked lanes change them by less than 1e-4",
     kShapes<S{4, 3072}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "16x16384", "a power of two, H % 128 == 0", kShapes<S{4, 4096}>, kNormal, kAbsent, kAbsent, 5},
    {"tritonbench", "128x512, x1024, x2048, x4096", "row lengths: powers of two",
     kShapes<S{128, 512}, S{128, 1024}, S{32, 2048}, S{16, 4096}>, kNormal, kAbsent, kAbsent},
    {"geak", "1823x781, 1x1, 128x1, 1x128, 8192x8192, 1x359, 1x89999", "row lengths up to 4096, odd and even ones",
     kShapes<S{32, 781}, S{1, 1}, S{128, 1}, S{1, 128}, S{4, 4096}, S{1, 359}, S{1, 4095}>, kNormal, kAbsent, kAbsent},
    {"robust-kbench", "16x16384; two more chosen here", "a power of two, H % 128 == 0; one row of 1000",
     kShapes<S{4, 4096}, S{4, 1024}, S{4, 1000}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "no such op; tokens x 128256 of a vocabulary", "H % 128 == 0, no power of two",
     kShapes<S{4, 3968}>, kNormal, kAbsent, kAbsent, 3},
    {"backendbench", "5, 5x5, 5x10x5", "", kShapes<S{1, 5}, S{5, 5}, S{50, 5}>, kNine, kAbsent, kAbsent},
    {"assert_close", "none of its own", "", kShapes<S{64, 1024}>, kNormal, kAbsent, kAbsent},
};

constexpr PaperSampling kPaper[] = {{"", kPaperRows, paper_rows}};

}  // namespace

const PeerFamily& softmax() {
  static constexpr PeerFamily kFamily{"softmax", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
