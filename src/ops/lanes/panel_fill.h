// How one panel of a product's right operand is filled, with the look at the magnitudes of its elements.
#pragma once
#include "ops/lanes/product_panels.h"

namespace warpfuzz {

struct RangeLanes {
  Floats min, max;
  Doubles abs_sum;
  WARPFUZZ_INLINE RangeLanes(const ColumnRanges& from, std::size_t column) {
    load(min, from.min + column), load(max, from.max + column), load(abs_sum, from.abs_sum + column);
  }
  WARPFUZZ_INLINE void add(const Floats& x) {
    min = x < min ? x : min;
    max = x > max ? x : max;
    abs_sum += __builtin_convertvector(WARPFUZZ_ABS32(x), Doubles);
  }
  WARPFUZZ_INLINE void save(const ColumnRanges& to, std::size_t column) const {
    store(to.min + column, min), store(to.max + column, max), store(to.abs_sum + column, abs_sum);
  }
};

#define WARPFUZZ_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// Rows to columns, eight by eight: by halves of rows, then pairs, then single elements.
WARPFUZZ_INLINE void transpose(Floats (&r)[kLanes]) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Floats a = r[i], b = r[i + 4];
    r[i] = WARPFUZZ_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11),
    r[i + 4] = WARPFUZZ_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (std::size_t half = 0; half < kLanes; half += 4)
    for (std::size_t i = half; i < half + 2; ++i) {
      const Floats a = r[i], b = r[i + 2];
      r[i] = WARPFUZZ_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
      r[i + 2] = WARPFUZZ_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (std::size_t i = 0; i < kLanes; i += 2) {
    const Floats a = r[i], b = r[i + 1];
    r[i] = WARPFUZZ_SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
    r[i + 1] = WARPFUZZ_SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
}

// Rows are far apart: how many of them ahead are asked for, which is what the latency of memory takes.
inline constexpr std::size_t kRowsAhead = 24;

// `columns` (up to 8) of `terms` rows, a row `stride` elements long.
template <bool Ranges>
WARPFUZZ_INLINE void fill_rows(const float* from, std::size_t stride, std::size_t columns, std::size_t terms, float* to,
                               SizeLanes& sizes, RangeLanes* ranges) {
  const Bits32 inside = Bits32{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(columns);
  // A whole load may not reach behind the last row.
  const std::size_t over = kLanes - columns, beyond = (over + stride - 1) / stride;
  const std::size_t whole = terms > beyond ? terms - beyond : 0;
  SizeLanes looked = sizes;
  std::size_t q = 0;
  const auto take = [&](const Floats& x) __attribute__((always_inline)) {
    __builtin_prefetch(from + kRowsAhead * stride);
    looked.look_at(x);
    if constexpr (Ranges) ranges->add(x);
    store(to, x);
    from += stride, to += kLanes;
  };
  Floats x;
  if (over == 0)
    for (; q < terms; ++q) load(x, from), take(x);
  for (; q < whole; ++q) load(x, from), take((Floats)((Bits32)x & inside));
  for (; q < terms; ++q) {
    x = Floats{};
    for (std::size_t l = 0; l < columns; ++l) x[l] = from[l];
    take(x);
  }
  sizes = looked;
}

// `columns` (up to 8) rows of `terms` elements, to be columns.
WARPFUZZ_INLINE void fill_columns(const float* from, std::size_t columns, std::size_t terms, float* to,
                                  SizeLanes& sizes) {
  SizeLanes looked = sizes;
  std::size_t q = 0;
  for (; columns == kLanes && q + kLanes <= terms; q += kLanes, to += kLanes * kLanes) {
    Floats block[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) load(block[l], from + l * terms + q), looked.look_at(block[l]);
    transpose(block);
    for (std::size_t l = 0; l < kLanes; ++l) store(to + l * kLanes, block[l]);
  }
  for (; q < terms; ++q, to += kLanes) {
    Floats x = {};
    for (std::size_t l = 0; l < columns; ++l) x[l] = from[l * terms + q];
    looked.look_at(x);
    store(to, x);
  }
  sizes = looked;
  // The next panel's elements arrive while this one is used.
  if (columns == kLanes)
    for (q = 0; q < kLanes * terms; q += 16) __builtin_prefetch(from + kLanes * terms + q);
}

// The panel of the first columns that are not filled yet.
WARPFUZZ_INLINE void fill_panel(ProductPanels& b) {
  const std::size_t j = b.filled, columns = b.n - j < kLanes ? b.n - j : kLanes;
  float* to = b.values.data() + j * b.k;
  SizeLanes sizes = b.sizes;
  if (b.transposed) {
    fill_columns(b.source.data() + j * b.k, columns, b.k, to, sizes);
  } else if (b.ranges.min) {
    RangeLanes ranges(b.ranges, j);
    fill_rows<true>(b.source.data() + j, b.n, columns, b.k, to, sizes, &ranges);
    ranges.save(b.ranges, j);
  } else {
    fill_rows<false>(b.source.data() + j, b.n, columns, b.k, to, sizes, nullptr);
  }
  b.sizes = sizes;
  b.filled = j + kLanes;
}

}  // namespace warpfuzz
