#include "findings/error_fields.h"

namespace warpfuzz {

HistogramMessage message_of(const LogHistogram& h) {
  HistogramMessage m{{}, {}, h.sum(), h.max()};
  for (const auto& [bucket, count] : h.filled()) {
    m.at.push_back(bucket);
    m.n.push_back(count);
  }
  return m;
}

std::string take_message(const HistogramMessage& m, LogHistogram& h) {
  LogHistogram::Buckets filled;
  for (std::size_t i = 0; i < m.at.size() && i < m.n.size(); ++i) filled.emplace_back(m.at[i], m.n[i]);
  const bool taken = m.at.size() == m.n.size() && LogHistogram::restore(filled, m.sum, m.max, h);
  return taken ? "" : "at: expected the index of a bucket for each count";
}

std::vector<Labelled<ErrorStats>> labelled(const ErrorTable& t) {
  std::vector<Labelled<ErrorStats>> list;
  for (const auto& [key, stats] : t.records()) list.push_back({key.first, key.second, stats});
  return list;
}

std::vector<Labelled<ErrorRecord>> summarised(const ErrorTable& t) {
  std::vector<Labelled<ErrorRecord>> list;
  for (const auto& [key, stats] : t.records()) list.push_back({key.first, key.second, summarise(stats)});
  return list;
}

void merge(const std::vector<Labelled<ErrorStats>>& records, ErrorTable& t) {
  for (const Labelled<ErrorStats>& l : records) t.at({l.dtype, l.fill}).merge(l.record);
}

}  // namespace warpfuzz
