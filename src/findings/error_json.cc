#include "findings/error_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "base/json_fields.h"
#include "ops/op.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxBuckets = 1u << 14, kMaxRecords = 4096;

struct NamedCount {
  const char* name;
  std::uint64_t ErrorCounts::* count;
};
constexpr NamedCount kCounts[] = {{"runs", &ErrorCounts::runs},
                                  {"failed", &ErrorCounts::failed},
                                  {"drift", &ErrorCounts::drift},
                                  {"wholly_unspecified", &ErrorCounts::wholly_unspecified},
                                  {"elements", &ErrorCounts::elements},
                                  {"over", &ErrorCounts::over},
                                  {"nan_expected", &ErrorCounts::nan_expected},
                                  {"nan_got", &ErrorCounts::nan_got},
                                  {"inf_expected", &ErrorCounts::inf_expected},
                                  {"inf_got", &ErrorCounts::inf_got}};

struct NamedFigure {
  const char* name;
  double Distribution::* figure;
};
constexpr NamedFigure kFigures[] = {{"max", &Distribution::max}, {"mean", &Distribution::mean},
                                    {"p50", &Distribution::p50}, {"p90", &Distribution::p90},
                                    {"p99", &Distribution::p99}, {"p99.9", &Distribution::p999}};

struct NamedQuantity {
  const char* name;
  Distribution ErrorRecord::* record;
  LogHistogram ErrorStats::* histogram;
};
constexpr NamedQuantity kQuantities[] = {{"absolute", &ErrorRecord::absolute, &ErrorStats::absolute},
                                         {"relative", &ErrorRecord::relative, &ErrorStats::relative},
                                         {"ulp", &ErrorRecord::ulps, &ErrorStats::ulps},
                                         {"ratio", &ErrorRecord::ratios, &ErrorStats::ratios}};

double six_digits(double x) { return std::isfinite(x) ? std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr) : x; }

json counts_to_json(const ErrorCounts& c) {
  json j = json::object();
  for (const NamedCount& n : kCounts)
    if (c.*n.count) j[n.name] = c.*n.count;
  for (int i = 1; i < kReasonCount; ++i)
    if (c.unspecified[static_cast<std::size_t>(i)])
      j["unspecified"][reason_name(static_cast<Reason>(i))] = c.unspecified[static_cast<std::size_t>(i)];
  return j;
}

void read_counts(Fields& in, std::string& error, ErrorCounts& c) {
  for (const NamedCount& n : kCounts) in.integer(n.name, c.*n.count);
  const json* reasons = in.object("unspecified");
  if (!reasons) return;
  Fields list(*reasons, in.path("unspecified"), error);
  for (int i = 1; i < kReasonCount; ++i)
    list.integer(reason_name(static_cast<Reason>(i)), c.unspecified[static_cast<std::size_t>(i)]);
}

json histogram_to_json(const LogHistogram& h) {
  json at = json::array(), n = json::array();
  for (const auto& [bucket, count] : h.filled()) at.push_back(bucket), n.push_back(count);
  return {{"at", at}, {"n", n}, {"sum", number_to_json(h.sum())}, {"max", number_to_json(h.max())}};
}

void read_histogram(Fields& parent, const char* name, const json& j, std::string& error, LogHistogram& h) {
  Fields in(j, parent.path(name), error);
  std::vector<std::uint32_t> at;
  std::vector<std::uint64_t> n;
  double sum = 0, max = 0;
  in.integers("at", at, kMaxBuckets);
  in.integers("n", n, kMaxBuckets);
  in.number("sum", sum);
  in.number("max", max);
  LogHistogram::Buckets filled;
  for (std::size_t i = 0; i < std::min(at.size(), n.size()); ++i) filled.emplace_back(at[i], n[i]);
  if (at.size() != n.size() || !LogHistogram::restore(filled, sum, max, h))
    in.fail("at", "expected the index of a bucket for each count");
}

}  // namespace

json to_json(const ErrorRecord& r) {
  json j = counts_to_json(r.counts);
  j["measured"] = r.measured;
  if (!r.measured) return j;
  for (const NamedQuantity& q : kQuantities) {
    json& figures = j[q.name] = json::object();
    for (const NamedFigure& f : kFigures) figures[f.name] = number_to_json(six_digits((r.*q.record).*f.figure));
  }
  return j;
}

std::string from_json(const json& j, const std::string& name, ErrorRecord& r) {
  std::string error;
  Fields in(j, name, error);
  read_counts(in, error, r.counts);
  in.integer("measured", r.measured);
  for (const NamedQuantity& q : kQuantities)
    if (const json* figures = in.object(q.name)) {
      Fields list(*figures, in.path(q.name), error);
      for (const NamedFigure& f : kFigures) list.number(f.name, (r.*q.record).*f.figure);
    }
  return error;
}

json to_json(const ErrorStats& s) {
  json j = counts_to_json(s.counts);
  for (const NamedQuantity& q : kQuantities) j[q.name] = histogram_to_json(s.*q.histogram);
  return j;
}

std::string from_json(const json& j, const std::string& name, ErrorStats& s) {
  std::string error;
  Fields in(j, name, error);
  read_counts(in, error, s.counts);
  for (const NamedQuantity& q : kQuantities)
    if (const json* h = in.object(q.name)) read_histogram(in, q.name, *h, error, s.*q.histogram);
  return error;
}

json to_json(const ErrorTable& t, bool whole) {
  json list = json::array();
  for (const auto& [key, stats] : t.records()) {
    json j = whole ? to_json(stats) : to_json(summarise(stats));
    j["dtype"] = key.first;
    j["fill"] = key.second;
    list.push_back(std::move(j));
  }
  return list;
}

std::string from_json(const json& list, ErrorTable& t) {
  if (!list.is_array() || list.size() > kMaxRecords) return "records: expected a list";
  for (const json& j : list) {
    if (!j.is_object()) return "records: expected a list of objects";
    std::string error;
    ErrorTable::Key key;
    Fields in(j, "records", error);
    in.text("dtype", key.first);
    in.text("fill", key.second);
    ErrorStats stats;
    if (error.empty()) error = from_json(j, "records", stats);
    if (!error.empty()) return error;
    t.at(key).merge(stats);
  }
  return {};
}

}  // namespace warpfuzz
