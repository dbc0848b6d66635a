// The distribution of errors: distances in ulp to the rounded reference and ratios |y_pre - r| / E, as percentiles.
// An ulp count alone misleads: a correct fp32 matmul reaches 129 ulp on normal data, any number by cancellation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpfuzz {

// Counts in buckets of 1/8 octave, so that a percentile is right to 9 %; 0 has a bucket of its own.
class LogHistogram {
 public:
  void add(double x);
  void merge(const LogHistogram& other);
  std::size_t count() const { return count_; }
  double max() const { return max_; }
  double percentile(double p) const;  // upper end of the bucket that holds it; p in 0..100; 0 where empty

 private:
  static constexpr int kLowest = -64, kHighest = 64, kSteps = 8;  // octaves
  std::vector<std::uint64_t> buckets_ = std::vector<std::uint64_t>((kHighest - kLowest) * kSteps + 2);
  std::size_t count_ = 0;
  double max_ = 0;
};

struct ErrorStats {
  LogHistogram ulps, ratios;
  void merge(const ErrorStats& other) { ulps.merge(other.ulps), ratios.merge(other.ratios); }
};
std::string describe(const ErrorStats& s);  // "ulp p50 0 p90 1 p99 2 p99.9 4 max 7; rho p50 0.1 p99 0.4 max 0.6"

}  // namespace warpfuzz
