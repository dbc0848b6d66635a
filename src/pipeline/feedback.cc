#include "pipeline/feedback.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

constexpr std::size_t kDTypes = 8, kRatioBuckets = 48, kClasses = warpfuzz::kFaultClasses, kOutputClasses = 8,
                      kTiles = 6, kTileFits = 4;
constexpr std::size_t kRatioAt = 0;
constexpr std::size_t kSensitivityAt = kRatioAt + kDTypes * kRatioBuckets;
constexpr std::size_t kClassAt = kSensitivityAt + kDTypes * kRatioBuckets;
constexpr std::size_t kOutputAt = kClassAt + kClasses;
constexpr std::size_t kTileFitAt = kOutputAt + kDTypes * kOutputClasses;
constexpr std::size_t kCounters = kTileFitAt + warpfuzz::kMaxDims * kTiles * kTileFits;

}  // namespace

// External linkage: a write-only static would be deleted by the optimizer.
extern "C" {
__attribute__((section("__libfuzzer_extra_counters"), used)) unsigned char warpfuzz_extra_counters[kCounters];
}

// The inline 8-bit counters of instrumented code; absent in a build without the engine.
extern "C" {
extern unsigned char __start___sancov_cntrs[] __attribute__((weak));
extern unsigned char __stop___sancov_cntrs[] __attribute__((weak));
}

namespace warpfuzz {
namespace {

std::span<unsigned char> edge_counters() {
  if (!__start___sancov_cntrs) return {};
  return {__start___sancov_cntrs, static_cast<std::size_t>(__stop___sancov_cntrs - __start___sancov_cntrs)};
}

void hit(std::size_t index) { warpfuzz_extra_counters[index] = 1; }

// log2 bucket of error / bound: 2^-40 and less is 0, 1 (the bound itself) is bucket 40.
std::size_t ratio_bucket(double ratio) {
  if (!(ratio > 0)) return 0;
  if (!std::isfinite(ratio)) return kRatioBuckets - 1;
  return static_cast<std::size_t>(std::clamp(std::ilogb(ratio) + 41, 0, static_cast<int>(kRatioBuckets) - 1));
}

// Of one dim against one tile: 0 at most one element, 1 less than a tile, 2 whole tiles, 3 with a remainder.
std::size_t tile_fit(std::uint32_t dim, std::uint32_t tile) {
  if (dim <= 1) return 0;
  if (dim < tile) return 1;
  return dim % tile == 0 ? 2 : 3;
}

}  // namespace

void add_features(const Schema& schema, const CaseResult& r) {
  const std::size_t dtype = std::min<std::size_t>(r.test_case.dtype, kDTypes - 1);
  hit(kClassAt + static_cast<std::size_t>(r.fault));
  if (r.verdict.total) {
    hit(kRatioAt + dtype * kRatioBuckets + ratio_bucket(r.verdict.max_ratio));
    // In 16 bits the roundings of a sum hide behind that of the store; what a case makes of them says where they would show.
    hit(kSensitivityAt + dtype * kRatioBuckets + ratio_bucket(r.verdict.sensitivity));
    const std::size_t at = kOutputAt + dtype * kOutputClasses;
    const std::size_t seen[] = {r.verdict.zero,    r.verdict.subnormal,    r.verdict.inf_got,
                                r.verdict.nan_got, r.verdict.inf_expected, r.verdict.nan_expected};
    for (std::size_t i = 0; i < std::size(seen); i++)
      if (seen[i]) hit(at + i);
    if (r.drift) hit(at + 6);
  }
  for (std::size_t d = 0; d < schema.dims.size(); d++)
    for (std::size_t t = 0; t < std::min(r.tiles.size(), kTiles); t++)
      hit(kTileFitAt + (d * kTiles + t) * kTileFits + tile_fit(r.test_case.dims[d], r.tiles[t]));
}

std::vector<std::uint32_t> current_features() {
  std::vector<std::uint32_t> set;
  for (std::size_t i = 0; i < kCounters; i++)
    if (warpfuzz_extra_counters[i]) set.push_back(static_cast<std::uint32_t>(i));
  // libFuzzer's buckets of a counter: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128-255.
  const std::size_t edges = edge_counters().size();
  for (std::size_t i = 0; i < edges; i++) {
    const unsigned n = edge_counters()[i];
    if (!n) continue;
    const unsigned bucket = n < 4 ? n - 1 : n < 8 ? 3 : n < 16 ? 4 : n < 32 ? 5 : n < 128 ? 6 : 7;
    set.push_back(static_cast<std::uint32_t>(kCounters + i * 8 + bucket));
  }
  return set;
}

void clear_features() {
  std::memset(warpfuzz_extra_counters, 0, kCounters);
  if (!edge_counters().empty()) std::memset(edge_counters().data(), 0, edge_counters().size());
}

}  // namespace warpfuzz
