// What each rival oracle runs for attention.
#include "peers/plans/plans.h"

namespace warpfuzz::plans {
namespace {

constexpr std::string_view kDims[] = {"B", "M", "N", "D"};

constexpr PeerPlan kPlans[] = {
    {"kernelbench", "32x32x512x1024", "N = 512 > 32; head 128", kShapes<S{1, 4, 512, 128}>, kUnit, kAbsent, kAbsent, 5},
    {"kernelbench-v0", "no such problem; 32x32x512x1024 of later", "N = 512 > 32; head 128", kShapes<S{1, 4, 512, 128}>,
     kNormal, kAbsent, kAbsent, 5},
    {"tritonbench", "2x4x128x128", "N = 128 > 32, D", kShapes<S{2, 8, 128, 128}>, kNormal, kAbsent, kAbsent},
    {"geak", "2x4x128x128", "N = 128 > 32, D", kShapes<S{2, 8, 128, 128}>, kNormal, kAbsent, kAbsent},
    {"robust-kbench", "32x32x512x1024; two more chosen here", "N > 32; head 128",
     kShapes<S{1, 4, 512, 128}, S{2, 8, 128, 64}, S{1, 8, 100, 64}>, kNormal, kAbsent, kAbsent, 5, 2},
    {"flashinfer-bench", "ragged batches, head 128", "N > 32 and no multiple of it, D",
     kShapes<S{1, 1, 257, 128}, S{1, 17, 100, 128}>, kNormal, kAbsent, kAbsent, 3},
    {"backendbench", "4x3 queries, 6 keys, head 8", "", kShapes<S{4, 3, 6, 8}>, kNine, kAbsent, kAbsent},
    {"assert_close", "none of its own", "", kShapes<S{2, 64, 64, 64}>, kNormal, kAbsent, kAbsent},
};

constexpr std::uint32_t kQueries[] = {1, 2, 8}, kKeys[] = {1, 3, 16, 256}, kFlashKeys[] = {1, 3, 16, 64, 128, 256},
                        kHead[] = {8, 16, 64};
constexpr PaperAxis kAxes[] = {{"M", kQueries}, {"N", kKeys}, {"D", kHead}},
                    kFlashAxes[] = {{"M", kQueries}, {"N", kFlashKeys}, {"D", kHead}};
constexpr PeerShape of_one_head(std::span<const std::uint32_t> d) { return {1, d[0], d[1], d[2]}; }
constexpr PaperSampling kPaper[] = {{"", kAxes, of_one_head}, {"flash", kFlashAxes, of_one_head}};

}  // namespace

const PeerFamily& attention() {
  static constexpr PeerFamily kFamily{"attention", kDims, kPlans, kPaper};
  return kFamily;
}

}  // namespace warpfuzz::plans
