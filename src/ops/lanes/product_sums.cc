#include "ops/lanes/product_sums.h"

#include "ops/lanes/panel_fill.h"
#include "ops/lanes/running_sums.h"

namespace warpfuzz {
namespace {

WARPFUZZ_INLINE void store_larger(double* to, const Floats& a, const Floats& b) {
  store(to, __builtin_convertvector(a > b ? a : b, Doubles));
}

struct Operands {
  const double* a;
  const float *rounded, *other;
  const double *weight, *second_weight;
};

template <class Set, bool Drift, bool Other, int Weights>
WARPFUZZ_INLINE void dot_panel(const Operands& in, const float* panel, std::size_t terms, std::size_t at,
                               ProductSums& out) {
  const Floats one = factor_one();
  Floats column;
  RunningSums forward, other_forward;
  Doubles sums = {}, abs_sums = {};
  for (std::size_t q = 0; q < terms; ++q) {
    load(column, panel + q * kLanes);
    const Doubles p = __builtin_convertvector(column, Doubles) * in.a[q];
    sums += p;
    abs_sums += WARPFUZZ_ABS64(p);
    if constexpr (Drift) add_term(Set{}, forward, column * in.rounded[q], one);
    if constexpr (Other) add_term(Set{}, other_forward, column * in.other[q], one);
  }
  store(out.value.data() + at, sums);
  store(out.abs_sum.data() + at, abs_sums);
  if constexpr (!Drift && !Other && Weights == 0) return;

  RunningSums backward, other_backward;
  Doubles weighted = {}, second_weighted = {};
  for (std::size_t q = terms; q-- > 0;) {
    load(column, panel + q * kLanes);
    if constexpr (Drift) add_term(Set{}, backward, column * in.rounded[q], one);
    if constexpr (Other) add_term(Set{}, other_backward, column * in.other[q], one);
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

using FourDoubles = double __attribute__((vector_size(32)));

// A panel of at most four columns, in one pass: lanes 0 to 3 go forward, lanes 4 to 7 take the same columns backward.
template <class Set, bool Drift, bool Other, int Weights>
WARPFUZZ_INLINE void dot_half_panel(const Operands& in, const float* panel, std::size_t terms, std::size_t at,
                                    ProductSums& out) {
  const Floats one = factor_one();
  RunningSums sums32, other32;
  Doubles sums = {}, abs_sums = {};  // backward with the weight as the factor
  FourDoubles second_weighted = {};
  const auto both = [](float front, float rear) __attribute__((always_inline)) {
    return Floats{front, front, front, front, rear, rear, rear, rear};
  };
  for (std::size_t q = 0, back = terms; q < terms; ++q) {
    --back;
    Floats front, rear;
    load(front, panel + q * kLanes), load(rear, panel + back * kLanes);
    const Floats column = WARPFUZZ_SHUFFLE(front, rear, 0, 1, 2, 3, 8, 9, 10, 11);
    const Doubles wide = __builtin_convertvector(column, Doubles);
    const double a = in.a[q], w = Weights > 0 ? in.weight[back] : 0;
    const Doubles p = wide * Doubles{a, a, a, a, w, w, w, w};
    sums += p;
    abs_sums += WARPFUZZ_ABS64(p);
    if constexpr (Weights > 1) {
      const Doubles size = WARPFUZZ_ABS64(wide);
      second_weighted += WARPFUZZ_SHUFFLE(size, size, 4, 5, 6, 7) * in.second_weight[back];
    }
    if constexpr (Drift) add_term(Set{}, sums32, column * both(in.rounded[q], in.rounded[back]), one);
    if constexpr (Other) add_term(Set{}, other32, column * both(in.other[q], in.other[back]), one);
  }
  const Doubles none = {};
  const Floats no_drift = {};
  store(out.value.data() + at, WARPFUZZ_SHUFFLE(sums, none, 0, 1, 2, 3, 8, 8, 8, 8));
  store(out.abs_sum.data() + at, WARPFUZZ_SHUFFLE(abs_sums, none, 0, 1, 2, 3, 8, 8, 8, 8));
  const auto larger = [&](const Floats& drift, double* to) __attribute__((always_inline)) {
    store_larger(to, WARPFUZZ_SHUFFLE(drift, no_drift, 0, 1, 2, 3, 8, 8, 8, 8),
                 WARPFUZZ_SHUFFLE(drift, no_drift, 4, 5, 6, 7, 8, 8, 8, 8));
  };
  if constexpr (Drift) larger(sums32.drift, out.drift.data() + at);
  if constexpr (Other) larger(other32.drift, out.other_drift.data() + at);
  if constexpr (Weights > 0)
    store(out.weighted[0].data() + at, WARPFUZZ_SHUFFLE(abs_sums, none, 4, 5, 6, 7, 8, 8, 8, 8));
  if constexpr (Weights > 1)
    store(out.weighted[1].data() + at, WARPFUZZ_SHUFFLE(second_weighted, second_weighted * 0, 0, 1, 2, 3, 4, 4, 4, 4));
}

template <bool Drift, bool Other, int Weights>
struct DotAll {
  template <class Set>
  static WARPFUZZ_INLINE void run(const Operands& in, ProductPanels& b, std::size_t terms, std::size_t columns,
                                  ProductSums& out) {
    constexpr bool kBackward = Drift || Other || Weights > 0;
    for (std::size_t j = 0; j < columns; j += kLanes) {
      if (j == b.filled) Set::template call<fill_panel, ProductPanels&>(b);
      if (kBackward && b.n - j <= kLanes / 2) dot_half_panel<Set, Drift, Other, Weights>(in, b.panel(j), terms, j, out);
      else dot_panel<Set, Drift, Other, Weights>(in, b.panel(j), terms, j, out);
    }
  }
};
using AllPanels = void (*)(const Operands&, ProductPanels&, std::size_t, std::size_t, ProductSums&);
template <bool Drift, bool Other, int Weights>
constexpr AllPanels run_panels = call_widest_set<DotAll<Drift, Other, Weights>, const Operands&, ProductPanels&,
                                                 std::size_t, std::size_t, ProductSums&>;
template <bool Drift, bool Other>
constexpr AllPanels kByWeights[] = {run_panels<Drift, Other, 0>, run_panels<Drift, Other, 1>,
                                    run_panels<Drift, Other, 2>};

}  // namespace

void ProductSums::run(const ProductRow& row, ProductPanels& b, std::size_t columns) {
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
