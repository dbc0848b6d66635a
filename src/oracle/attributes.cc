// Attributes of a finding from its wrong elements; the first description that fits is taken.
#include "oracle/attributes.h"

#include <algorithm>
#include <cmath>

#include "numeric/round.h"

namespace warpfuzz {
namespace {

// One factor that explains every wrong element within its own bound: a forgotten 0.5, a wrong n. Needs two references
// of different size, or any error would qualify.
bool constant_ratio(const WrongSet& w, const Reference& ref, DType out, double& ratio) {
  std::size_t largest = 0;
  double least = INFINITY, most = 0;
  for (std::size_t k = 0; k < w.elements.size(); ++k) {
    const double r = std::fabs(ref.r[w.elements[k]]);
    if (!std::isfinite(w.got[k]) || !(r > 4 * ref.e[w.elements[k]])) return false;
    least = std::min(least, r);
    if (r > most) most = r, largest = k;
  }
  if (!(most > least)) return false;
  const double c = w.got[largest] / ref.r[w.elements[largest]];
  if (c == 0 || std::fabs(c - 1) < 1e-4) return false;
  for (std::size_t k = 0; k < w.elements.size(); ++k) {
    const double r = ref.r[w.elements[k]], e = ref.e[w.elements[k]];
    const double slack = 2 * (std::fabs(c) + 1) * e + (std::fabs(r) / most + 1) * ulp(out, w.got[k]);
    if (!(std::fabs(w.got[k] - c * r) <= slack)) return false;
  }
  ratio = c;
  return true;
}

// Rows: all dims but the last as one.
struct Grid {
  std::size_t rows = 1, cols = 1;
};
Grid grid_of(const std::vector<std::uint32_t>& shape) {
  Grid g;
  for (std::size_t a = 0; a < shape.size(); ++a) (a + 1 < shape.size() ? g.rows : g.cols) *= shape[a];
  return g;
}

// All wrong elements lie behind the last full tile of one dim.
bool in_tail_block(const WrongSet& w, std::span<const std::uint32_t> tiles) {
  std::vector<std::uint32_t> candidates(tiles.begin(), tiles.end());
  candidates.insert(candidates.end(), {16, 32, 64, 128});
  std::size_t stride = 1;
  for (std::size_t a = w.shape.size(); a-- > 0; stride *= w.shape[a]) {
    const std::uint32_t dim = w.shape[a];
    std::uint32_t first = dim;
    for (const std::uint32_t e : w.elements) {
      first = std::min(first, static_cast<std::uint32_t>(e / stride % dim));
      if (first == 0) break;
    }
    for (const std::uint32_t tile : candidates)
      if (tile > 1 && dim > tile && dim % tile != 0 && first >= dim / tile * tile) return true;
  }
  return false;
}

}  // namespace

ErrorKind kind_of(const WrongSet& w, const Reference& ref, DType out, double& ratio) {
  switch (w.first) {
    case Wrong::unwritten: return ErrorKind::unwritten;
    case Wrong::nan_unexpected: return ErrorKind::nan_unexpected;
    case Wrong::inf_unexpected: return ErrorKind::inf_unexpected;
    case Wrong::nan_missing: return ErrorKind::nan_missing;
    case Wrong::inf_missing: return ErrorKind::inf_missing;
    case Wrong::sign: return ErrorKind::sign;
    default: break;
  }
  if (w.all_outputs_zero) return ErrorKind::all_zero;
  if (w.first == Wrong::index) return ErrorKind::wrong_index;
  if (!info(out).floating) return ErrorKind::wrong_integer;
  if (constant_ratio(w, ref, out, ratio)) return ErrorKind::const_ratio;
  return w.max_ratio > 0x1p10 ? ErrorKind::gross : ErrorKind::precision;
}

ErrorPlace location_of(const WrongSet& w, std::span<const std::uint32_t> tiles) {
  const Grid g = grid_of(w.shape);
  const std::size_t count = w.elements.size(), total = g.rows * g.cols;
  if (count == 1) return ErrorPlace::single;
  if (count == total) return ErrorPlace::all;
  const auto every = [&](auto test) { return std::all_of(w.elements.begin(), w.elements.end(), test); };
  if (g.rows > 1 && every([&](std::size_t e) { return e / g.cols == g.rows - 1; })) return ErrorPlace::last_row;
  if (g.cols > 1 && every([&](std::size_t e) { return e % g.cols == g.cols - 1; })) return ErrorPlace::last_col;
  if (in_tail_block(w, tiles)) return ErrorPlace::tail_block;
  if ((g.rows > 1 && every([&](std::size_t e) { return e / g.cols == 0; })) ||
      (g.cols > 1 && every([&](std::size_t e) { return e % g.cols == 0; })))
    return ErrorPlace::first;
  if (g.rows == 1) return count * 16 < total ? ErrorPlace::sparse : ErrorPlace::interior;
  std::vector<std::size_t> per_row(g.rows), per_col(g.cols);
  std::size_t row = 0,
              begin =
                  0;  // of the element before: most lie in the same row, and a division costs more than all else here
  for (const std::size_t e : w.elements) {
    if (e < begin || e >= begin + g.cols) row = e / g.cols, begin = row * g.cols;
    ++per_row[row], ++per_col[e - begin];
  }
  const auto whole = [](const std::vector<std::size_t>& counts, std::size_t full) {
    return std::all_of(counts.begin(), counts.end(), [full](std::size_t c) { return c == 0 || c == full; });
  };
  if (g.rows > 1 && whole(per_row, g.cols)) return ErrorPlace::rows;
  if (g.cols > 1 && g.rows > 1 && whole(per_col, g.rows)) return ErrorPlace::cols;
  return count * 16 < total ? ErrorPlace::sparse : ErrorPlace::interior;
}

std::string shape_class_of(std::uint32_t dim, std::span<const std::uint32_t> tiles) {
  if (dim == 1) return "1";
  bool any = false, remainder = false;
  for (const std::uint32_t t : tiles) {
    if (t <= 1 || t > dim) continue;
    any = true;
    remainder |= dim % t != 0;
  }
  return !any ? "<B" : remainder ? "remainder" : "multiple";
}

}  // namespace warpfuzz
