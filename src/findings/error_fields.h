// The fields of error records, in the one form that the line protocol, `warpfuzz` and .wfz files use (docs/protocol.md).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields/form.h"
#include "ops/op.h"
#include "oracle/statistics.h"

namespace warpfuzz {

// A histogram by its filled buckets, so that records of several processes can be merged.
struct HistogramMessage {
  std::vector<std::uint32_t> at;
  std::vector<std::uint64_t> n;
  double sum = 0, max = 0;
};
HistogramMessage message_of(const LogHistogram& h);
std::string take_message(const HistogramMessage& m, LogHistogram& h);  // "" or what is wrong with it

// A record of the cases of one dtype and one class of fills.
template <class Record>
struct Labelled {
  std::string dtype, fill;
  Record record;
};
std::vector<Labelled<ErrorStats>> labelled(const ErrorTable& t);
std::vector<Labelled<ErrorRecord>> summarised(const ErrorTable& t);
void merge(const std::vector<Labelled<ErrorStats>>& records, ErrorTable& t);

constexpr Title title_of(const ErrorRecord&) { return {"error record", "protocol.md"}; }
constexpr Title title_of(const ErrorStats&) { return {"whole error record", "protocol.md"}; }
constexpr Title title_of(const Distribution&) { return {"distribution", "protocol.md"}; }
constexpr Title title_of(const HistogramMessage&) { return {"histogram", "protocol.md"}; }

template <class V, MaybeConst<ErrorCounts> C>
void fields(V& v, C& c) {
  v.count("runs", c.runs, "cases");
  v.count("failed", c.failed, "of them: findings");
  v.count("drift", c.drift, "of them: only the tight bound was left, not confirmed");
  v.count("wholly_unspecified", c.wholly_unspecified, "of them: everything is accepted in every element");
  v.count("elements", c.elements, "elements judged");
  v.count("over", c.over, "of them: outside of the bound, or against a rule");
  v.count("nan_expected", c.nan_expected, "NaN in the reference");
  v.count("nan_got", c.nan_got, "NaN in the output");
  v.count("inf_expected", c.inf_expected, "Inf in the reference");
  v.count("inf_got", c.inf_got, "Inf in the output");
  v.counts(
      "unspecified", c.unspecified, [](std::size_t i) { return reason_name(static_cast<Reason>(i)); },
      "elements on which everything is accepted, by reason");
}

template <class V, MaybeConst<Distribution> D>
void fields(V& v, D& d) {
  v.figure("max", d.max, "the largest");
  v.figure("mean", d.mean, "the mean");
  v.figure("p50", d.p50, "the median; percentiles are right to 6 %");
  v.figure("p90", d.p90, "what 90 % stay below");
  v.figure("p99", d.p99, "what 99 % stay below");
  v.figure("p99.9", d.p999, "what 99.9 % stay below");
}

template <class V, MaybeConst<HistogramMessage> H>
void fields(V& v, H& h) {
  v("at", h.at, "buckets that are not empty: 0 counts zeros, 1 + 16 (192 + e) + k values from 2^e (1 + k/16) on");
  v("n", h.n, "their counts");
  v("sum", h.sum, "sum of the values");
  v("max", h.max, "the largest value");
}

inline constexpr const char *kAbsolute = "abs(y - r)", *kRelative = "abs(y - r) / abs(r), where r is not 0",
                            *kUlp = "steps from y to the rounded reference", *kRatio = "error / bound";

template <class V, MaybeConst<ErrorRecord> R>
void fields(V& v, R& r) {
  v.part(r.counts);
  v("measured", r.measured, "elements behind the figures");
  v.when(r.measured > 0, "absolute", r.absolute, kAbsolute);
  v.when(r.measured > 0, "relative", r.relative, kRelative);
  v.when(r.measured > 0, "ulp", r.ulps, kUlp);
  v.when(r.measured > 0, "ratio", r.ratios, kRatio);
}

template <class V, MaybeConst<ErrorStats> S>
void fields(V& v, S& s) {
  v.part(s.counts);
  v("absolute", s.absolute, kAbsolute);
  v("relative", s.relative, kRelative);
  v("ulp", s.ulps, kUlp);
  v("ratio", s.ratios, kRatio);
}

template <class T>
inline constexpr bool is_labelled = false;
template <class R>
inline constexpr bool is_labelled<Labelled<R>> = true;

template <class V, class L>
  requires is_labelled<std::remove_const_t<L>>
void fields(V& v, L& l) {
  v("dtype", l.dtype, "dtype combination of the cases");
  v("fill", l.fill, "the fill of their data tensors, `mixed` where it differs");
  v.part(l.record);
}

}  // namespace warpfuzz
