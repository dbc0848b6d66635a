#include "engine/feedback.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

constexpr std::size_t kDTypes = 8, kRatioBuckets = 48, kClasses = 16, kOutputClasses = 8, kTiles = 6, kShapeClasses = 4;
constexpr std::size_t kRatioAt = 0;
constexpr std::size_t kClassAt = kRatioAt + kDTypes * kRatioBuckets;
constexpr std::size_t kOutputAt = kClassAt + kClasses;
constexpr std::size_t kShapeAt = kOutputAt + kDTypes * kOutputClasses;
constexpr std::size_t kCounters = kShapeAt + warpfuzz::kMaxDims * kTiles * kShapeClasses;

}  // namespace

// External linkage: a write-only static would be deleted by the optimizer.
extern "C" {
__attribute__((section("__libfuzzer_extra_counters"), used)) unsigned char warpfuzz_extra_counters[kCounters];
}

namespace warpfuzz {
namespace {

void hit(std::size_t index) { warpfuzz_extra_counters[index] = 1; }

// log2 bucket of error / bound: 2^-40 and less is 0, 1 (the bound itself) is bucket 40.
std::size_t ratio_bucket(double ratio) {
  if (!(ratio > 0)) return 0;
  if (!std::isfinite(ratio)) return kRatioBuckets - 1;
  return static_cast<std::size_t>(std::clamp(std::ilogb(ratio) + 41, 0, static_cast<int>(kRatioBuckets) - 1));
}

std::size_t shape_class(std::uint32_t dim, std::uint32_t tile) {
  if (dim <= 1) return 0;
  if (dim < tile) return 1;
  return dim % tile == 0 ? 2 : 3;
}

}  // namespace

void add_features(const Schema& schema, const CaseResult& r) {
  const std::size_t dtype = std::min<std::size_t>(r.test_case.dtype, kDTypes - 1);
  hit(kClassAt + static_cast<std::size_t>(r.fault) % kClasses);
  if (r.verdict.total) {
    hit(kRatioAt + dtype * kRatioBuckets + ratio_bucket(r.verdict.max_ratio));
    const std::size_t at = kOutputAt + dtype * kOutputClasses;
    const std::size_t seen[] = {r.verdict.zero, r.verdict.subnormal, r.verdict.inf_got, r.verdict.nan_got,
                                r.verdict.inf_expected, r.verdict.nan_expected};
    for (std::size_t i = 0; i < std::size(seen); i++)
      if (seen[i]) hit(at + i);
    if (r.drift) hit(at + 6);
  }
  const std::vector<std::uint32_t> tiles = tiles_of(r.status);
  for (std::size_t d = 0; d < schema.dims.size(); d++)
    for (std::size_t t = 0; t < std::min(tiles.size(), kTiles); t++)
      hit(kShapeAt + (d * kTiles + t) * kShapeClasses + shape_class(r.test_case.dims[d], tiles[t]));
}

std::vector<std::size_t> current_features() {
  std::vector<std::size_t> set;
  for (std::size_t i = 0; i < kCounters; i++)
    if (warpfuzz_extra_counters[i]) set.push_back(i);
  return set;
}

void clear_features() { std::memset(warpfuzz_extra_counters, 0, kCounters); }

}  // namespace warpfuzz
