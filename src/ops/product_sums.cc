#include "ops/product_sums.h"

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

#define WARPFUZZ_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

using FourDoubles = double __attribute__((vector_size(32)));

// A panel of at most four columns, in one pass: lanes 0 to 3 go forward, lanes 4 to 7 take the same columns backward.
template <bool Drift, bool Other, int Weights>
WARPFUZZ_INLINE void dot_half_panel(const Operands& in, const float* panel, std::size_t terms, std::size_t at,
                                    ProductSums& out) {
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
    if constexpr (Drift) sums32.add(column * both(in.rounded[q], in.rounded[back]));
    if constexpr (Other) other32.add(column * both(in.other[q], in.other[back]));
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
WARPFUZZ_INLINE void all_panels(const Operands& in, const ProductPanels& b, std::size_t terms, std::size_t columns,
                                ProductSums& out) {
  constexpr bool kBackward = Drift || Other || Weights > 0;
  std::size_t j = 0;
  for (; j < columns && !(kBackward && b.n - j <= kLanes / 2); j += kLanes)
    dot_panel<Drift, Other, Weights>(in, b.panel(j), terms, j, out);
  if (j < columns) dot_half_panel<Drift, Other, Weights>(in, b.panel(j), terms, j, out);
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

// Collects whether all elements are zero or of a magnitude in the range.
struct OrdinaryLanes {
  Floats least, limit;
  Bits32 all;
  WARPFUZZ_INLINE explicit OrdinaryLanes(const OrdinaryRange& r)
      : least(Floats{} + r.least), limit(Floats{} + r.limit), all(Bits32{} - 1) {}
  WARPFUZZ_INLINE void look_at(const Floats& x) {
    const Floats size = WARPFUZZ_ABS32(x);
    all &= (size < limit) & ((size >= least) | (size == 0.0f));
  }
  WARPFUZZ_INLINE bool yes() const {
    std::int32_t every = -1;
    for (std::size_t l = 0; l < kLanes; ++l) every &= all[l];
    return every != 0;
  }
};

WARPFUZZ_INLINE void fill_panels(const float* from, std::size_t columns, std::size_t terms, const OrdinaryRange& range,
                                 float* to, bool& ordinary) {
  OrdinaryLanes lanes(range);
  Floats x;
  for (std::size_t j = 0; j < columns; j += kLanes) {
    const std::size_t count = columns - j < kLanes ? columns - j : kLanes;
    const Bits32 inside = Bits32{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(count);
    for (std::size_t q = 0; q < terms; ++q, to += kLanes) {
      const std::size_t at = q * columns + j;
      if (at + kLanes <= columns * terms) {
        load(x, from + at);
        x = (Floats)((Bits32)x & inside);
      } else {
        x = Floats{};
        for (std::size_t l = 0; l < count; ++l) x[l] = from[at + l];
      }
      lanes.look_at(x);
      store(to, x);
    }
  }
  ordinary = lanes.yes();
}

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

WARPFUZZ_INLINE void fill_transposed(const float* from, std::size_t columns, std::size_t terms,
                                     const OrdinaryRange& range, float* to, bool& ordinary) {
  OrdinaryLanes lanes(range);
  for (std::size_t j = 0; j < columns; j += kLanes, from += kLanes * terms) {
    const std::size_t count = columns - j < kLanes ? columns - j : kLanes;
    std::size_t q = 0;
    for (; count == kLanes && q + kLanes <= terms; q += kLanes, to += kLanes * kLanes) {
      Floats block[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) load(block[l], from + l * terms + q), lanes.look_at(block[l]);
      transpose(block);
      for (std::size_t l = 0; l < kLanes; ++l) store(to + l * kLanes, block[l]);
    }
    for (; q < terms; ++q, to += kLanes) {
      Floats x = {};
      for (std::size_t l = 0; l < count; ++l) x[l] = from[l * terms + q];
      lanes.look_at(x);
      store(to, x);
    }
  }
  ordinary = lanes.yes();
}

}  // namespace

bool ProductPanels::assign(std::span<const float> b, std::size_t columns, std::size_t terms,
                           const OrdinaryRange& range) {
  n = columns, k = terms;
  values.resize(whole_lanes(columns) * terms);
  bool ordinary = false;
  call_widest<fill_panels, const float*, std::size_t, std::size_t, const OrdinaryRange&, float*, bool&>(
      b.data(), columns, terms, range, values.data(), ordinary);
  return ordinary;
}
bool ProductPanels::assign_transposed(std::span<const float> b, std::size_t columns, std::size_t terms,
                                      const OrdinaryRange& range) {
  n = columns, k = terms;
  values.resize(whole_lanes(columns) * terms);
  bool ordinary = false;
  call_widest<fill_transposed, const float*, std::size_t, std::size_t, const OrdinaryRange&, float*, bool&>(
      b.data(), columns, terms, range, values.data(), ordinary);
  return ordinary;
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
