// A contiguous tensor as (outer, n, inner): the reduction runs over n. Softmax over the last axis is (rows, cols, 1),
// over axis 1 of [B, C, H, W] it is (B, C, H*W). Ops work on one contiguous row; this view hands rows out and back.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "ops/op.h"

namespace warpfuzz {

struct RowView {
  std::size_t outer = 1, n = 1, inner = 1;
  std::size_t rows() const { return outer * inner; }
  std::size_t elements() const { return outer * n * inner; }
  std::size_t index(std::size_t row, std::size_t i) const { return (row / inner * n + i) * inner + row % inner; }
  // Around one axis of a shape.
  static RowView around(std::span<const std::uint32_t> shape, std::size_t axis) {
    RowView v;
    for (std::size_t a = 0; a < shape.size(); ++a) (a < axis ? v.outer : a == axis ? v.n : v.inner) *= shape[a];
    return v;
  }
};

// The part of a reference that belongs to one row.
struct RowOut {
  double *r, *e, *e_rig;
  std::uint8_t* flags;
  Reason* reason;
  std::size_t n;

  RowOut(Reference& ref, std::size_t first, std::size_t count)
      : r(ref.r.data() + first),
        e(ref.e.data() + first),
        e_rig(ref.e_rig.data() + first),
        flags(ref.flags.data() + first),
        reason(ref.reason.data() + first),
        n(count) {}

  void flag(std::size_t i, int f, Reason why = Reason::none) {
    r[i] = e[i] = e_rig[i] = 0;
    flags[i] = static_cast<std::uint8_t>(f);
    reason[i] = why;
  }
  void flag_all(int f, Reason why = Reason::none) {
    for (std::size_t i = 0; i < n; ++i) flag(i, f, why);
  }
};

// Calls body(row, x, out) for every row; x and out are contiguous. Strided rows go through a buffer.
template <class Body>
void for_each_row(const RowView& view, std::span<const float> x, Reference& ref, Body body) {
  if (view.inner == 1) {
    for (std::size_t row = 0; row < view.outer; ++row)
      body(row, x.subspan(row * view.n, view.n), RowOut(ref, row * view.n, view.n));
    return;
  }
  std::vector<float> in(view.n);
  Reference one;
  one.resize(view.n);
  for (std::size_t row = 0; row < view.rows(); ++row) {
    for (std::size_t i = 0; i < view.n; ++i) in[i] = x[view.index(row, i)];
    one.resize(view.n);
    body(row, std::span<const float>(in), RowOut(one, 0, view.n));
    for (std::size_t i = 0; i < view.n; ++i) {
      const std::size_t to = view.index(row, i);
      ref.r[to] = one.r[i], ref.e[to] = one.e[i], ref.e_rig[to] = one.e_rig[i];
      ref.flags[to] = one.flags[i], ref.reason[to] = one.reason[i];
    }
  }
}

}  // namespace warpfuzz
