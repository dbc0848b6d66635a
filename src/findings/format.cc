// Values and tensors as text. Large tensors are cut down to what a person looks at first.
#include "findings/format.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/json_fields.h"
#include "numeric/round.h"
#include "schema/fill/poison.h"

namespace warpfuzz {
namespace {

constexpr std::size_t kWhole = 80, kPerLine = 12, kHead = 4, kTail = 3, kAround = 3;

std::uint64_t raw_bits(const TensorSnapshot& t, std::size_t i) {
  std::uint64_t bits = 0;
  const std::size_t size = dtype_size(t.dtype);
  std::memcpy(&bits, t.data.data() + i * size, size);
  return bits;
}

// NaNs with their bits, so that a payload of the input and a computed NaN look different; our own poison by the memory that
// it stands for.
std::string element(const TensorSnapshot& t, std::size_t i) {
  const double x = load_element(t.dtype, t.data.data() + i * dtype_size(t.dtype));
  if (std::isnan(x)) {
    const std::uint64_t bits = raw_bits(t, i);
    const std::string_view source = poison_source(t.dtype, bits);
    if (source == "output memory") return "unwritten";
    if (!source.empty()) return fmt::format("nan({})", source);
    return fmt::format("nan:{:0{}x}", bits, 2 * dtype_size(t.dtype));
  }
  return format_value(t.dtype, x);
}

std::string specials(const TensorSnapshot& t, std::size_t n) {
  if (!info(t.dtype).floating) return "";
  std::size_t nans = 0, infs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = load_element(t.dtype, t.data.data() + i * dtype_size(t.dtype));
    nans += std::isnan(x);
    infs += std::isinf(x);
  }
  std::string out;
  if (nans) out += fmt::format(", {} NaN", nans);
  if (infs) out += fmt::format(", {} Inf", infs);
  return out;
}

// Elements first, ..., first + n - 1 of the tensor as lines of kPerLine.
void whole_lines(const TensorSnapshot& t, std::size_t n, std::size_t marked, std::vector<std::string>& lines) {
  const std::size_t row = t.shape.empty() || t.shape.back() == 0 ? n : t.shape.back();
  std::string line;
  std::size_t on_line = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (on_line && (i % row == 0 || on_line == kPerLine)) {
      lines.push_back(std::move(line));
      line.clear();
      on_line = 0;
    }
    if (on_line++) line += ' ';
    line += i == marked ? ">" + element(t, i) + "<" : element(t, i);
  }
  if (on_line) lines.push_back(std::move(line));
}

// The last axis through `at`: its head, what lies around, its tail.
std::string row_line(const TensorSnapshot& t, std::size_t row_start, std::size_t length, std::size_t column,
                     bool mark) {
  std::string line;
  std::size_t last = 0;
  bool first = true;
  for (std::size_t i = 0; i < length; ++i) {
    const bool near = i + kAround >= column && i <= column + kAround;
    if (i >= kHead && i + kTail < length && !near) continue;
    if (!first) line += i == last + 1 ? " " : " ... ";
    const std::string value = element(t, row_start + i);
    line += mark && i == column ? ">" + value + "<" : value;
    last = i;
    first = false;
  }
  return line;
}

}  // namespace

std::string format_value(DType t, double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  if (std::trunc(x) == x && (std::fabs(x) < 1e7 || !info(t).floating))
    return fmt::format("{:.0f}", x);  // 2000 rather than 2e+03
  for (int digits = 1; digits < 17; ++digits) {
    const std::string s = fmt::format("{:.{}g}", x, digits);
    if (round_to(t, std::strtod(s.c_str(), nullptr)) == x) return s;
  }
  return fmt::format("{:.17g}", x);
}

std::string format_real(double x, int digits) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return fmt::format("{:.{}g}", x, digits);
}

std::string format_coordinates(const std::vector<std::uint32_t>& at) { return fmt::format("[{}]", fmt::join(at, ",")); }

std::vector<std::string> tensor_lines(const TensorSnapshot& t, std::vector<std::uint32_t> at, bool mark) {
  std::uint64_t n = 1;
  for (const std::uint32_t d : t.shape) n *= d;
  const std::string call = t.call ? fmt::format(", call {}", t.call + 1) : "";
  std::string head = fmt::format("{} ({}{}) {} {}", printable(t.name, false), printable(t.role, false), call,
                                 dtype_name(t.dtype), format_coordinates(t.shape));
  if (n == 0) return {head + ": empty"};
  if (t.data.size() != n * dtype_size(t.dtype)) return {head + fmt::format(": not stored, hash {:016x}", t.hash)};
  head += specials(t, n) + ":";

  at.resize(t.shape.size());
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < t.shape.size(); ++axis) {
    if (at[axis] >= t.shape[axis]) at[axis] = 0;
    position = position * t.shape[axis] + at[axis];
  }
  std::vector<std::string> lines;
  if (n <= kWhole) {
    whole_lines(t, n, mark ? position : n, lines);
    if (lines.size() == 1) return {head + " " + lines[0]};
    lines.insert(lines.begin(), head);
    for (std::size_t i = 1; i < lines.size(); ++i) lines[i] = "  " + lines[i];
    return lines;
  }
  const std::size_t length = t.shape.back(), column = at.back();
  std::vector<std::string> where(at.size());
  for (std::size_t axis = 0; axis + 1 < at.size(); ++axis) where[axis] = std::to_string(at[axis]);
  where.back() = "*";
  return {head, fmt::format("  {}[{}] = {}", printable(t.name, false), fmt::join(where, ","),
                            row_line(t, position - column, length, column, mark))};
}

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm tm{};
  gmtime_r(&now, &tm);
  char text[64];
  std::strftime(text, sizeof text, format, &tm);
  return text;
}

}  // namespace warpfuzz
