// What each rival oracle runs for matmul.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"M", "N", "K"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "4096x4096x4096", "K, many blocks of it", kShapes<S{16, 16, 4096}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "2048x2048x2048", "K, many blocks of it", kShapes<S{16, 16, 2048}>, kNormal, kAbsent, kAbsent,
     5},
    {"tritonbench", "256x256x128", "K = 128, more than 6 rows and columns", kShapes<S{64, 64, 128}>, kNormal, kAbsent,
     kAbsent},
    {"geak", "256x256x128", "K = 128", kShapes<S{64, 64, 128}>, kNormal, kAbsent, kAbsent},
    {"robust-kbench", "2048x2048x2048; two more chosen here", "K, many blocks of it",
     kShapes<S{16, 16, 2048}, S{32, 32, 256}, S{33, 17, 100}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "tokens x 4096 x 4096", "K, many blocks of it", kShapes<S{1, 64, 4096}, S{7, 16, 4096}>,
     kNormal, kAbsent, kAbsent, 3},
    {"backendbench", "5x5x10, 1x1x20", "", kShapes<S{5, 5, 10}, S{1, 1, 20}>, kNine, kAbsent, kAbsent},
    {"assert_close", "none of its own", "", kShapes<S{64, 64, 64}>, kNormal, kAbsent, kAbsent},
};

constexpr std::uint32_t kM[] = {1, 2, 7, 64, 128}, kK[] = {1, 3, 16, 64, 127, 256}, kN[] = {1, 2, 15, 64};
constexpr PaperAxis kAxes[] = {{"M", kM}, {"K", kK}, {"N", kN}};
constexpr PaperSampling kPaper[] = {
    {"", kAxes, [](std::span<const std::uint32_t> d) -> PeerShape { return {d[0], d[2], d[1]}; }}};

}  // namespace

const PeerFamily& matmul() {
  static constexpr PeerFamily kFamily{"matmul", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
