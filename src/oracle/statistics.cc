// Percentiles out of logarithmic buckets: no sample is kept, so that a campaign of any length fits.
#include "oracle/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpfuzz {

void LogHistogram::add(double x) {
  std::size_t at = 0;
  if (x > 0) {
    const double step = std::isfinite(x) ? std::floor(std::log2(x) * kSteps) : kHighest * kSteps;
    at = static_cast<std::size_t>(std::clamp(step - kLowest * kSteps, 0.0, double{(kHighest - kLowest) * kSteps})) + 1;
  }
  ++buckets_[std::min(at, buckets_.size() - 1)];
  ++count_;
  max_ = std::max(max_, x);
}
void LogHistogram::merge(const LogHistogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}
double LogHistogram::percentile(double p) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(p / 100 * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= std::max<std::uint64_t>(rank, 1))
      return i == 0 ? 0 : std::min(max_, std::exp2((static_cast<double>(i) + kLowest * kSteps) / kSteps));
  }
  return 0;
}
std::string describe(const ErrorStats& s) {
  return fmt::format(
      "ulp p50 {:.3g} p90 {:.3g} p99 {:.3g} p99.9 {:.3g} max {:.3g}; rho p50 {:.2g} p99 {:.2g} max {:.3g}",
      s.ulps.percentile(50), s.ulps.percentile(90), s.ulps.percentile(99), s.ulps.percentile(99.9), s.ulps.max(),
      s.ratios.percentile(50), s.ratios.percentile(99), s.ratios.max());
}

}  // namespace warpfuzz
