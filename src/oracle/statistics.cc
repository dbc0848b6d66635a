// Percentiles out of logarithmic buckets: no sample is kept, so that any number of runs fits.
#include "oracle/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "schema/fill/fill.h"

namespace warpfuzz {

void LogHistogram::add(double x) {
  if (buckets_.empty()) buckets_.resize(kBuckets);
  std::size_t at = 0;
  if (x > 0) {
    // The exponent and the first four bits of the mantissa, as one number: monotone, and no logarithm.
    const auto step =
        static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 48) - (std::int64_t{1023 + kLowest} << 4);
    at = static_cast<std::size_t>(std::clamp<std::int64_t>(step, 0, kBuckets - 2)) + 1;
  }
  ++buckets_[at];
  ++count_;
  sum_ += x;
  max_ = std::max(max_, x);
}

void LogHistogram::merge(const LogHistogram& other) {
  if (other.buckets_.empty()) return;
  if (buckets_.empty()) buckets_.resize(kBuckets);
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double LogHistogram::percentile(double p) const {
  const auto rank =
      std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(p / 100 * static_cast<double>(count_))), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen < rank) continue;
    if (i == 0) return 0;
    const int steps = static_cast<int>(i) + kLowest * kSteps;  // of the bucket's upper end
    const int power = steps >= 0 ? steps / kSteps : -((-steps + kSteps - 1) / kSteps);
    return std::min(max_, std::ldexp(1.0 + static_cast<double>(steps - power * kSteps) / kSteps, power));
  }
  return 0;
}

LogHistogram::Buckets LogHistogram::filled() const {
  Buckets out;
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    if (buckets_[i]) out.emplace_back(static_cast<std::uint32_t>(i), buckets_[i]);
  return out;
}

bool LogHistogram::restore(const Buckets& filled, double sum, double max, LogHistogram& out) {
  out = {};
  if (filled.empty()) return true;
  out.buckets_.resize(kBuckets);
  for (const auto& [at, n] : filled) {
    if (at >= kBuckets) return false;
    out.buckets_[at] += n;
    out.count_ += n;
  }
  out.sum_ = sum, out.max_ = max;
  return true;
}

void ErrorCounts::merge(const ErrorCounts& o) {
  runs += o.runs, failed += o.failed, drift += o.drift, wholly_unspecified += o.wholly_unspecified;
  elements += o.elements, over += o.over;
  nan_expected += o.nan_expected, nan_got += o.nan_got, inf_expected += o.inf_expected, inf_got += o.inf_got;
  for (std::size_t i = 0; i < unspecified.size(); ++i) unspecified[i] += o.unspecified[i];
}

void ErrorCounts::add(const Verdict& v) {
  elements += v.total, over += v.beyond_tight;
  nan_expected += v.nan_expected, nan_got += v.nan_got, inf_expected += v.inf_expected, inf_got += v.inf_got;
  std::size_t all = 0;
  for (std::size_t i = 0; i < unspecified.size(); ++i) unspecified[i] += v.unspecified[i], all += v.unspecified[i];
  wholly_unspecified += v.total && all == v.total;
}

void ErrorStats::merge(const ErrorStats& o) {
  counts.merge(o.counts);
  absolute.merge(o.absolute), relative.merge(o.relative), ulps.merge(o.ulps), ratios.merge(o.ratios);
}

ErrorRecord summarise(const ErrorStats& s) {
  const auto figures = [](const LogHistogram& h) {
    return Distribution{h.max(), h.mean(), h.percentile(50), h.percentile(90), h.percentile(99), h.percentile(99.9)};
  };
  return {s.counts, s.ratios.count(), figures(s.absolute), figures(s.relative), figures(s.ulps), figures(s.ratios)};
}

std::string describe(const ErrorRecord& r) {
  const auto figures = [](const char* name, const Distribution& d) {
    return fmt::format("{} p50 {:.2g} p99 {:.3g} max {:.3g}", name, d.p50, d.p99, d.max);
  };
  if (!r.measured)
    return fmt::format("no finite floating-point element to measure; {} of {} over the bound", r.counts.over,
                       r.counts.elements);
  return fmt::format("{}; {}; {}; {} of {} over the bound", figures("absolute", r.absolute), figures("ulp", r.ulps),
                     figures("error/bound", r.ratios), r.counts.over, r.counts.elements);
}

std::string fill_class(const Schema& s, const TestCase& c) {
  std::string found;
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const TensorSpec& t = s.tensors[k];
    const bool index = t.type == TensorType::index32 || t.type == TensorType::index64;
    if ((t.role != Role::in && t.role != Role::inout) || t.optional || index) continue;
    const std::string name = fill_name(fill_of(s, static_cast<int>(k), c.tensors[k].fill));
    if (!found.empty() && found != name) return "mixed";
    found = name;
  }
  return found.empty() ? "none" : found;
}

void ErrorTable::merge(const ErrorTable& other) {
  for (const auto& [key, stats] : other.records_) records_[key].merge(stats);
}

ErrorTable ErrorTable::without_fills() const {
  ErrorTable out;
  for (const auto& [key, stats] : records_) out.records_[{key.first, "all"}].merge(stats);
  return out;
}

}  // namespace warpfuzz
