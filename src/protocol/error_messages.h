// Messages about errors: records over many cases, and the figures that calibration rests on.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "findings/error_fields.h"
#include "oracle/tolerance_table.h"

namespace warpfuzz {

using KeyCounts = std::map<std::string, std::uint64_t>;

// What many cases came to. Record: ErrorStats, which can be merged, or ErrorRecord, which can be read.
template <class Record>
struct SweptRecords {
  std::uint64_t executions = 0;
  KeyCounts keys;
  std::vector<Labelled<Record>> records;
};
using WholeStats = SweptRecords<ErrorStats>;
using StatsSummary = SweptRecords<ErrorRecord>;
constexpr Title title_of(const WholeStats&) { return {"whole records", "protocol.md"}; }

template <class T>
inline constexpr bool is_swept = false;
template <class Record>
inline constexpr bool is_swept<SweptRecords<Record>> = true;

template <class V, class S>
  requires is_swept<std::remove_const_t<S>>
void fields(V& v, S& s) {
  v("executions", s.executions, "cases that were run");
  v("keys", s.keys, "how often each key was found");
  v("records", s.records, "a record for each dtype and class of fills");
}

struct StatsRequest {
  static constexpr const char* kCommand = "stats";
  using Answer = WholeStats;  // where `whole` is set, else StatsSummary
  std::optional<std::uint64_t> cases, seed, first;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::string>> paths;
  std::optional<bool> whole;
};
template <class V, MaybeConst<StatsRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("cases", q.cases, "so many random cases; where there are no `paths`");
  v("seed", q.seed, "of this seed");
  v("first", q.first, "number of the first case; 0 where absent");
  v("dtype", q.dtype, "of this dtype combination alone");
  v.path("paths", q.paths, "these cases instead: `.wfz`, raw bytes or `*.case`");
  v("whole", q.whole, "records with histograms, which can be merged");
}

struct CalibrateRequest {
  static constexpr const char* kCommand = "calibrate";
  using Answer = struct CalibrationResult;
  std::uint64_t cases = 0, seed = 0;
  std::string dtype;
  std::optional<std::uint64_t> first;
  std::optional<double> c0, lam, kap;
};
template <class V, MaybeConst<CalibrateRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("cases", q.cases, "so many random cases");
  v("seed", q.seed, "of this seed");
  v("dtype", q.dtype, "and this dtype combination: a row belongs to one");
  v("first", q.first, "number of the first case; 0 where absent");
  v("c0", q.c0, "in place of the row's");
  v("lam", q.lam, "in place of the row's");
  v("kap", q.kap, "in place of the row's");
}

// A row of the tolerance table, by which the cases were judged.
struct CalibratedRow {
  std::string name, ftz, store;
  double c = 1, c0 = 0, lam = 0, kap = 0;
  int table_version = 0;
};
template <class V, MaybeConst<CalibratedRow> R>
void fields(V& v, R& r) {
  v("name", r.name, "");
  v("c", r.c, "factor of the whole bound");
  v("c0", r.c0, "");
  v("lam", r.lam, "");
  v("kap", r.kap, "");
  v("ftz", r.ftz, "`allowed` or `never`: whether subnormals may be flushed");
  v("store", r.store, "rounding of the final store");
  v("table_version", r.table_version, "");
}

template <class V, MaybeConst<Evidence> E>
void fields(V& v, E& e) {
  v("runs", e.runs, "cases");
  v("max_ratio", e.max_ratio, "largest error / bound");
  v("p99", e.p99, "what 99 % of the elements stay below");
  v("control", e.control, "the trusted target");
  v("twin", e.twin, "its lower-precision twin; empty where no bound is needed");
  v("twin_failed", e.twin_failed, "share of the cases that the twin fails");
  v("device", e.device, "");
  v("seed", e.seed, "");
  v("date", e.date, "");
  v("table_version", e.table_version, "version that it was measured with");
}

struct CalibratedElement {
  std::string tensor;
  std::vector<std::uint32_t> at;
  double got = 0, reference = 0, lo = 0, hi = 0;
};
template <class V, MaybeConst<CalibratedElement> E>
void fields(V& v, E& e) {
  v("tensor", e.tensor, "name of its tensor");
  v("at", e.at, "coordinates");
  v("got", e.got, "the output");
  v("reference", e.reference, "");
  v("lo", e.lo, "smallest value allowed");
  v("hi", e.hi, "largest value allowed");
}

// The case with the largest error / bound.
struct WorstCase {
  std::uint64_t number = 0;
  double ratio = 0;
  std::string summary, text;
  Bytes bytes;
  bool confirmed = false;
  std::optional<CalibratedElement> element;
};
template <class V, MaybeConst<WorstCase> W>
void fields(V& v, W& w) {
  v("case", w.number, "its number, from 1");
  v("ratio", w.ratio, "error / bound");
  v("summary", w.summary, "the case in one line");
  v.lines("text", w.text, "the case as a `*.case`");
  v("bytes", w.bytes, "the case");
  v("confirmed", w.confirmed, "it is a finding");
  v("element", w.element, "where it lies beyond the bound: the worst element");
}

struct CalibrationResult {
  WholeStats stats;
  CalibratedRow row;
  std::string backend;
  std::optional<Evidence> evidence;
  std::optional<WorstCase> worst;
};
template <class V, MaybeConst<CalibrationResult> C>
void fields(V& v, C& c) {
  v.part(c.stats);
  v("row", c.row, "the row of the tolerance table");
  v("backend", c.backend, "`cpu` or `cuda`");
  v("evidence", c.evidence, "what the table says that the row rests on");
  v("worst", c.worst, "the case with the largest error / bound");
}

}  // namespace warpfuzz
