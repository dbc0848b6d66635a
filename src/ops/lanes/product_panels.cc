#include "ops/lanes/product_panels.h"

#include <bit>

#include "ops/lanes/panel_fill.h"

namespace warpfuzz {
namespace {

WARPFUZZ_INLINE void fill_rest(ProductPanels& b) {
  while (b.filled < b.n) fill_panel(b);
}

}  // namespace

bool SizeLanes::within(OrdinaryRange r) const {
  const auto least = std::bit_cast<std::uint32_t>(r.least), limit = std::bit_cast<std::uint32_t>(r.limit);
  bool all = true;
  for (std::size_t l = 0; l < kLanes; ++l) all &= most[l] < limit && (least == 0 || least_less_one[l] >= least - 1);
  return all;
}

void ProductPanels::start(std::span<const float> b, std::size_t columns, std::size_t terms, OrdinaryRange r) {
  n = columns, k = terms;
  values.resize(whole_lanes(columns) * terms);
  source = b, range = r, ranges = {};
  filled = 0, sizes = {};
}
void ProductPanels::assign(std::span<const float> b, std::size_t columns, std::size_t terms, OrdinaryRange r,
                           ColumnRanges into) {
  start(b, columns, terms, r);
  transposed = false, ranges = into;
}
void ProductPanels::assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms,
                                      OrdinaryRange r) {
  start(b, columns, terms, r);
  transposed = true;
}
bool ProductPanels::finish() {
  if (filled < n) call_widest<fill_rest, ProductPanels&>(*this);
  return sizes.within(range);
}

}  // namespace warpfuzz
