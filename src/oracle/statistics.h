// The error record of runs: how far outputs lie from the reference, in absolute and relative terms, in ulp and as a
// share of the error bound, and what could not be measured. Recorded only where somebody asks: campaigns do not.
// An ulp count alone misleads: a correct fp32 matmul reaches 129 ulp on normal data, any number by cancellation.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/verdict.h"
#include "schema/test_case.h"

namespace warpfuzz {

// Counts in sixteen buckets a power of two, so that a percentile is right to 6 %; 0 has a bucket of its own.
class LogHistogram {
 public:
  void add(double x);  // of x >= 0
  void merge(const LogHistogram& other);
  std::uint64_t count() const { return count_; }
  double max() const { return max_; }
  double sum() const { return sum_; }
  double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
  double percentile(double p) const;  // upper end of the bucket that holds it; p in 0..100; 0 where empty

  // For moving it between processes: the buckets that are not empty.
  using Buckets = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  Buckets filled() const;
  static bool restore(const Buckets& filled, double sum, double max, LogHistogram& out);  // false: no such bucket

 private:
  static constexpr int kLowest = -192, kHighest = 192, kSteps = 16;  // powers of two
  static constexpr std::size_t kBuckets = std::size_t{kHighest - kLowest} * kSteps + 2;
  std::vector<std::uint64_t> buckets_;  // empty until something is added
  std::uint64_t count_ = 0;
  double sum_ = 0, max_ = 0;
};

struct ErrorCounts {
  std::uint64_t runs = 0, failed = 0, drift = 0, wholly_unspecified = 0;  // cases
  std::uint64_t elements = 0, over = 0;  // judged; outside of the bound E, or against a rule
  std::uint64_t nan_expected = 0, nan_got = 0, inf_expected = 0, inf_got = 0;
  std::array<std::uint64_t, kReasonCount> unspecified{};  // by Reason
  void merge(const ErrorCounts& other);
  void add(const Verdict& v);  // the elements of one run
};

struct ErrorStats {
  ErrorCounts counts;
  // Of every specified element whose output and reference are finite: |y - r|; |y - r| / |r| where r is not 0; ulp to
  // the rounded reference; |y_pre - r| / E, for 16-bit outputs what exceeds half an ulp.
  LogHistogram absolute, relative, ulps, ratios;
  void merge(const ErrorStats& other);
};

// The figures that are shown and stored.
struct Distribution {
  double max = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, p999 = 0;
};
struct ErrorRecord {
  ErrorCounts counts;
  std::uint64_t measured = 0;  // elements behind the distributions
  Distribution absolute, relative, ulps, ratios;
};
ErrorRecord summarise(const ErrorStats& s);
std::string describe(const ErrorRecord& r);  // one line: "ulp p50 0 p90 1 ...; error/bound p50 0.1 ...; 0 of 96 over"

// The fill class of a case: the fill of its data tensors, "mixed" where they differ. Data are the inputs that every case
// has; optional ones (weights) and index tensors are not asked.
std::string fill_class(const Schema& s, const TestCase& c);

// Records of many runs, by dtype combination and fill class.
class ErrorTable {
 public:
  using Key = std::pair<std::string, std::string>;
  ErrorStats& at(const Schema& s, const TestCase& c) { return records_[{s.dtypes[c.dtype].name, fill_class(s, c)}]; }
  ErrorStats& at(const Key& key) { return records_[key]; }
  const std::map<Key, ErrorStats>& records() const { return records_; }
  void merge(const ErrorTable& other);
  ErrorTable without_fills() const;  // one record a dtype, of class "all"

 private:
  std::map<Key, ErrorStats> records_;
};

}  // namespace warpfuzz
