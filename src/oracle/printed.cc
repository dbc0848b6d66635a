// PyTorch's layout of a printed tensor, from its documented options and observed output.
#include "oracle/printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpfuzz {
namespace {

constexpr std::size_t kThreshold = 1000, kEdge = 3, kLineWidth = 80, kPrefix = 7;  // of "tensor("

std::string number(const char* format, double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  return fmt::format(fmt::runtime(format), v);
}

class Printer {
 public:
  Printer(std::span<const double> values, std::span<const std::uint32_t> shape)
      : values_(values), shape_(shape), summarized_(values.size() > kThreshold) {
    collect(0, 0);
    choose_format();
  }
  std::string text() const { return block(0, 0, kPrefix); }

 private:
  std::size_t stride(std::size_t axis) const {
    std::size_t n = 1;
    for (std::size_t a = axis + 1; a < shape_.size(); ++a) n *= shape_[a];
    return n;
  }
  bool cuts(std::size_t axis) const { return summarized_ && shape_[axis] > 2 * kEdge; }
  std::vector<std::size_t> shown_along(std::size_t axis) const {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < shape_[axis]; ++i)
      if (!cuts(axis) || i < kEdge || i + kEdge >= shape_[axis]) at.push_back(i);
    return at;
  }

  void collect(std::size_t axis, std::size_t first) {
    if (axis == shape_.size()) return shown_.push_back(values_[first]);
    for (const std::size_t i : shown_along(axis)) collect(axis + 1, first + i * stride(axis));
  }

  // Width and notation follow from the finite values other than 0 that are shown.
  void choose_format() {
    double least = INFINITY, most = 0;
    bool any = false;
    for (const double v : shown_) {
      if (!std::isfinite(v) || v == 0) continue;
      any = true;
      whole_ &= v == std::ceil(v);
      least = std::min(least, std::fabs(v));
      most = std::max(most, std::fabs(v));
    }
    if (!any) return;
    scientific_ = most / least > 1000 || most > 1e8 || (!whole_ && least < 1e-4);
    for (const double v : shown_) {
      if (!std::isfinite(v) || v == 0) continue;
      const std::size_t dot = whole_ && !scientific_ ? 1 : 0;
      width_ = std::max(width_, number(format(), v).size() + dot);
    }
  }
  const char* format() const { return scientific_ ? "{:.4e}" : whole_ ? "{:.0f}" : "{:.4f}"; }
  std::string element(double v) const {
    std::string s = number(format(), v);
    if (whole_ && !scientific_ && std::isfinite(v)) s += '.';
    return fmt::format("{:>{}}", s, width_);
  }

  std::string block(std::size_t axis, std::size_t first, std::size_t indent) const {
    if (shape_.empty()) return element(values_[first]);
    const bool last = axis + 1 == shape_.size();
    std::vector<std::string> parts;
    std::size_t before = 0;
    for (const std::size_t i : shown_along(axis)) {
      if (i != before) parts.push_back(last ? " ..." : "...");
      before = i + 1;
      parts.push_back(last ? element(values_[first + i]) : block(axis + 1, first + i * stride(axis), indent + 1));
    }
    const std::string next_line = ",\n" + std::string(indent + 1, ' ');
    std::string text = "[";
    if (last) {
      const std::size_t per_line = std::max<std::size_t>(1, (kLineWidth - std::min(kLineWidth, indent)) / (width_ + 2));
      for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i % per_line ? ", " : next_line) + parts[i];
    } else {
      const std::string gap = "," + std::string(shape_.size() - axis - 1, '\n') + std::string(indent + 1, ' ');
      for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? gap : "") + parts[i];
    }
    return text + "]";
  }

  std::span<const double> values_;
  std::span<const std::uint32_t> shape_;
  bool summarized_, whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
  std::vector<double> shown_;
};

}  // namespace

std::string printed_tensor(std::span<const double> values, std::span<const std::uint32_t> shape) {
  if (values.empty()) return "[]";
  return Printer(values, shape).text();
}

}  // namespace warpfuzz
