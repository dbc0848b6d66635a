#include "campaign/dims_reached.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/json_fields.h"

namespace warpfuzz::cli {
namespace {

constexpr std::string_view kTried = "largest tried ";

// The text around the numbers that were tried, and these.
struct Line {
  std::vector<std::string> text;
  std::vector<std::uint64_t> tried;
};

Line read_line(std::string_view line) {
  Line out;
  for (std::size_t at; (at = line.find(kTried)) != std::string_view::npos;) {
    at += kTried.size();
    std::uint64_t n = 0;
    const char* end = std::from_chars(line.data() + at, line.data() + line.size(), n).ptr;
    out.text.emplace_back(line.substr(0, at));
    out.tried.push_back(n);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  out.text.emplace_back(line);
  return out;
}

}  // namespace

std::string dims_line(std::string_view output) {
  constexpr std::string_view kStart = "\n  dims: ";
  const std::size_t at = output.rfind(kStart);
  if (at == std::string_view::npos) return {};
  output.remove_prefix(at + kStart.size());
  return printable(std::string(output.substr(0, output.find('\n'))), false);
}

std::string merge_dims(const std::string& before, const std::string& now) {
  const Line a = read_line(before), b = read_line(now);
  if (now.empty()) return before;
  if (a.text != b.text) return now;
  std::string merged = b.text[0];
  for (std::size_t i = 0; i < b.tried.size(); ++i)
    merged += std::to_string(std::max(a.tried[i], b.tried[i])) + b.text[i + 1];
  return merged;
}

}  // namespace warpfuzz::cli
