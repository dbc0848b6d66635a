#include "ops/product_sums.h"

#include <algorithm>

namespace warpfuzz {
namespace {

// RunningSum (numeric/sum_bound.h) in every lane; the same error by fewer operations, since a comparison of all lanes tells
// which operand is the larger.
struct RunningSums {
  Floats sum = {}, lost = {}, drift = {};
  WARPFUZZ_INLINE void add(const Floats& x) {
    const Floats next = sum + x;
    const Bits32 larger = WARPFUZZ_ABS32(x) > WARPFUZZ_ABS32(sum);
    const Floats hi = larger ? x : sum, lo = larger ? sum : x;
    lost += lo - (next - hi);
    sum = next;
    const Floats size = WARPFUZZ_ABS32(lost);
    drift = size > drift ? size : drift;
  }
};
WARPFUZZ_INLINE void store_larger(double* to, const Floats& a, const Floats& b) {
  store(to, __builtin_convertvector(a > b ? a : b, Doubles));
}

struct Operands {
  const double* a;
  const float *rounded, *other;
  const double *weight, *second_weight;
};

template <bool Drift, bool Other, int Weights>
WARPFUZZ_INLINE void dot_panel(const Operands& in, const float* panel, std::size_t terms, std::size_t at,
                               ProductSums& out) {
  Floats column;
  RunningSums forward, other_forward;
  Doubles sums = {}, abs_sums = {};
  for (std::size_t q = 0; q < terms; ++q) {
    load(column, panel + q * kLanes);
    const Doubles p = __builtin_convertvector(column, Doubles) * in.a[q];
    sums += p;
    abs_sums += WARPFUZZ_ABS64(p);
    if constexpr (Drift) forward.add(column * in.rounded[q]);
    if constexpr (Other) other_forward.add(column * in.other[q]);
  }
  store(out.value.data() + at, sums);
  store(out.abs_sum.data() + at, abs_sums);
  if constexpr (!Drift && !Other && Weights == 0) return;

  RunningSums backward, other_backward;
  Doubles weighted = {}, second_weighted = {};
  for (std::size_t q = terms; q-- > 0;) {
    load(column, panel + q * kLanes);
    if constexpr (Drift) backward.add(column * in.rounded[q]);
    if constexpr (Other) other_backward.add(column * in.other[q]);
    if constexpr (Weights > 0) {
      const Doubles size = __builtin_convertvector(WARPFUZZ_ABS32(column), Doubles);
      weighted += size * in.weight[q];
      if constexpr (Weights > 1) second_weighted += size * in.second_weight[q];
    }
  }
  if constexpr (Drift) store_larger(out.drift.data() + at, forward.drift, backward.drift);
  if constexpr (Other) store_larger(out.other_drift.data() + at, other_forward.drift, other_backward.drift);
  if constexpr (Weights > 0) store(out.weighted[0].data() + at, weighted);
  if constexpr (Weights > 1) store(out.weighted[1].data() + at, second_weighted);
}

template <bool Drift, bool Other, int Weights>
WARPFUZZ_INLINE void all_panels(const Operands& in, const ProductPanels& b, std::size_t terms, std::size_t columns,
                                ProductSums& out) {
  for (std::size_t j = 0; j < columns; j += kLanes) dot_panel<Drift, Other, Weights>(in, b.panel(j), terms, j, out);
}
using AllPanels = void (*)(const Operands&, const ProductPanels&, std::size_t, std::size_t, ProductSums&);
template <bool Drift, bool Other, int Weights>
void run_panels(const Operands& in, const ProductPanels& b, std::size_t terms, std::size_t columns, ProductSums& out) {
  call_widest<all_panels<Drift, Other, Weights>, const Operands&, const ProductPanels&, std::size_t, std::size_t,
              ProductSums&>(in, b, terms, columns, out);
}
template <bool Drift, bool Other>
constexpr AllPanels kByWeights[] = {run_panels<Drift, Other, 0>, run_panels<Drift, Other, 1>,
                                    run_panels<Drift, Other, 2>};

// Panels from any order of the elements: of (term, column).
template <class At>
WARPFUZZ_INLINE void fill_panels(ProductPanels& panels, std::size_t columns, std::size_t terms, At at) {
  panels.n = columns, panels.k = terms;
  panels.values.resize(whole_lanes(columns) * terms);
  float* to = panels.values.data();
  for (std::size_t j = 0; j + kLanes <= columns; j += kLanes)
    for (std::size_t q = 0; q < terms; ++q, to += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) to[l] = at(q, j + l);
  if (columns % kLanes == 0) return;
  const std::size_t rest = columns % kLanes, first = columns - rest;
  std::fill(to, to + terms * kLanes, 0.0f);
  for (std::size_t l = 0; l < rest; ++l)
    for (std::size_t q = 0; q < terms; ++q) to[q * kLanes + l] = at(q, first + l);
}

}  // namespace

void ProductPanels::assign(std::span<const float> b, std::size_t columns, std::size_t terms) {
  const float* from = b.data();
  fill_panels(*this, columns, terms, [=](std::size_t q, std::size_t j) { return from[q * columns + j]; });
}
void ProductPanels::assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms) {
  const float* from = b.data();
  fill_panels(*this, columns, terms, [=](std::size_t q, std::size_t j) { return from[j * terms + q]; });
}

void ProductSums::run(const ProductRow& row, const ProductPanels& b, std::size_t columns) {
  const std::size_t terms = row.a.size();
  for (auto* v : {&value, &abs_sum, &drift, &other_drift, &weighted[0], &weighted[1]}) v->resize(b.stride());
  if (row.drift) rounded_.assign(row.a.begin(), row.a.end());
  const Operands in{row.a.data(), rounded_.data(), row.other.data(), row.weights[0].data(), row.weights[1].data()};
  const int weights = row.weights[0].empty() ? 0 : row.weights[1].empty() ? 1 : 2;
  const bool other = !row.other.empty();
  const AllPanels run = row.drift ? (other ? kByWeights<true, true> : kByWeights<true, false>)[weights]
                                  : (other ? kByWeights<false, true> : kByWeights<false, false>)[weights];
  run(in, b, terms, columns, *this);
}

}  // namespace warpfuzz
