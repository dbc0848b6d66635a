// By hand and strict about nothing: a line of another form is none.
#include "campaign/fuzzer_line.h"

#include <charconv>
#include <string_view>

namespace warpfuzz::cli {
namespace {

bool number_behind(std::string_view line, std::string_view name, std::uint64_t& out) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return false;
  const char* begin = line.data() + at + name.size();
  return std::from_chars(begin, line.data() + line.size(), out).ec == std::errc();
}

bool number_before(std::string_view line, std::string_view name, std::uint64_t& out) {
  std::size_t at = line.find(name), begin = at;
  if (at == std::string_view::npos) return false;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return std::from_chars(line.data() + begin, line.data() + at, out).ec == std::errc();
}

// A line of a report: "  case         softmax fp32 rows=1 cols=3".
bool value_of(std::string_view line, std::string_view name, std::string& out) {
  if (!line.starts_with("  ") || line.substr(2, name.size()) != name || line.substr(2 + name.size(), 1) != " ")
    return false;
  const std::size_t at = line.find_first_not_of(' ', 2 + name.size());
  if (at == std::string_view::npos) return false;
  out = line.substr(at);
  return true;
}

}  // namespace

bool parse_status(const std::string& line, FuzzerStatus& out) {
  FuzzerStatus s;
  if (line.empty() || line[0] != '#' || !number_behind(line, "#", s.executions)) return false;
  if (!number_behind(line, " cov: ", s.edges)) return false;
  number_behind(line, " ft: ", s.features);
  number_behind(line, " corp: ", s.corpus);
  s.is_new = line.find("\tNEW ") != std::string::npos;
  out = s;
  return true;
}

bool says_finding(const std::string& line) {
  return line.starts_with("warpfuzz: ") &&
         (line.find(" at execution ") != std::string::npos || line.find("reproducer written to ") != std::string::npos);
}

std::string begun_finding(const std::string& line) {
  constexpr std::string_view kPrefix = "warpfuzz: ", kAt = " at execution ";
  const std::size_t at = line.find(kAt);
  if (at == std::string::npos || !line.starts_with(kPrefix)) return {};
  const std::string key = line.substr(kPrefix.size(), at - kPrefix.size());
  return key.find(' ') == std::string::npos ? key : "";
}

bool ends_finding(const std::string& line) { return line.starts_with("SUMMARY: WarpFuzz: "); }

bool parse_merge(const std::string& line, FuzzerStatus& out) {
  if (!line.starts_with("MERGE-OUTER: ")) return false;
  FuzzerStatus s;
  if (!number_before(line, " new files with ", s.corpus)) return false;
  number_before(line, " new features added", s.features);
  number_before(line, " new coverage edges", s.edges);
  out = s;
  return true;
}

bool ToldReader::take(const std::string& line) {
  constexpr std::string_view kLost = " is not on disk, its case is: ", kReport = "==WARPFUZZ== ERROR: ";
  if (const std::size_t at = line.find(kLost); at != std::string::npos) told_.bytes = line.substr(at + kLost.size());
  else if (line.starts_with("warpfuzz: reproducer written to ")) told_ = {};  // a smaller one could be written
  if (told_.bytes.empty()) return false;
  if (line.starts_with(kReport)) told_.message = line.substr(kReport.size());
  std::string value;
  if (value_of(line, "key", value)) told_.key = value;
  if (!value_of(line, "case", value)) return false;
  told_.summary = value;
  return !told_.key.empty();
}

}  // namespace warpfuzz::cli
