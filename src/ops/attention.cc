// Scaled dot-product attention: o = softmax(q k^T / sqrt(D)) v for each of B heads; with `causal` row i sees the keys
// j <= i, whatever M and N are (aligned at the top left: with M < N the last keys are seen by no row, with M > N the
// last rows see all keys). No row is fully masked.
//
// The bound covers three passes, online (flash) forms with any tiles and splits over keys, prescaled exp2, the scale
// before or after the sum, and P normalised first or last. Special values, in this order: what input rounding may turn
// into Inf, and scores that may overflow; NaN or +Inf among a row's scores (NaN); only -Inf (NaN or 0); scores beyond
// the range of prescaled exp2; then NaN and Inf among the values. A key whose score is -Inf counts as masked.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/lanes/panel_fill.h"
#include "ops/lanes/row_view.h"
#include "ops/parts/attention_weights.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u, kInf = std::numeric_limits<double>::infinity();

// What the values of each output column are like, over the keys that a row sees. As long as whole lanes.
struct Columns {
  enum Trait : std::uint8_t { kNan = 1, kPlusInf = 2, kMinusInf = 4, kSmall = 8, kMayRoundToInf = 16 };
  std::vector<float> min, max;  // of the finite ones
  std::vector<double> abs_sum;
  std::vector<std::uint8_t> traits;

  void clear(std::size_t n) {
    min.assign(n, std::numeric_limits<float>::infinity());
    max.assign(n, -std::numeric_limits<float>::infinity());
    abs_sum.assign(n, 0);
    traits.assign(n, 0);
  }
  ColumnRanges ranges() { return {min.data(), max.data(), abs_sum.data()}; }
  double largest(std::size_t e) const { return std::max(std::fabs(min[e]), std::fabs(max[e])); }
};

WARPFUZZ_INLINE void add_keys(const ProductPanels& values, std::size_t from, std::size_t to, Columns& columns) {
  for (std::size_t e = 0; e < values.n; e += kLanes) {
    RangeLanes ranges(columns.ranges(), e);
    const float* panel = values.panel(e);
    Floats x;
    for (std::size_t key = from; key < to; ++key) load(x, panel + key * kLanes), ranges.add(x);
    ranges.save(columns.ranges(), e);
  }
}

class Attention {
 public:
  void run(const RefContext& c, Reference& ref, int output) {
    const Arith arith(c);
    arith_ = &arith;
    const bool causal = c.test_case.flag(c.schema.flag_index("causal"));
    shape_ = {c.dim("M"), c.dim("N"), c.dim("D"), causal};
    const std::size_t keys = shape_.n * shape_.d;
    // What no row sees, and what cannot come through the mask, need not be looked at.
    if (causal && arith.dialects.mask_select) shape_.n = std::min(shape_.n, shape_.m);
    rounding_ = input_rounding(arith);
    tensor_cores_ = arith.in == DType::f32 ? rounding_.u_in > 0 : arith.dialects.tc;
    weights_.prepare(c, arith, shape_);
    const std::size_t queries = shape_.m * shape_.d, seen_keys = shape_.n * shape_.d;
    const auto input = [&](const char* name, std::size_t head, std::size_t n) {
      return std::span<const float>(c.in[c.schema.tensor_index(name)]).subspan(head * n, n);
    };
    for (std::size_t head = 0; head < c.dim("B"); ++head) {
      weights_.head(input("q", head, queries), input("k", head, keys).first(seen_keys));
      look_at(input("v", head, keys).first(seen_keys));
      for (std::size_t i = 0; i < shape_.m; ++i) {
        const std::size_t first = head * queries + i * shape_.d;
        run_row(i, RowOut(ref, first, shape_.d));
        if (c.explain && c.explain->wants(output, first, shape_.d))
          explain(RowOut(ref, first, shape_.d), c.explain->element - first, *c.explain);
      }
    }
  }

 private:
  // The values of one head. Where all rows see all keys the panels are filled, and the columns looked at, when the
  // first row needs them.
  void look_at(std::span<const float> v) {
    v_ = finite_ = v;
    hidden_ = keys_ = 0;
    ordinary_ = true, settled_ = false;
    seen_.clear(whole_lanes(shape_.d));
    const float least = arith_->flush_inputs || rounding_.u_in > 0 ? 0x1p-126f : 0.0f;
    panels_.assign(v, shape_.d, shape_.n, {least, rounding_.first_special()},
                   shape_.causal ? ColumnRanges{} : seen_.ranges());
    if (shape_.causal) settle_values();
  }
  // Values that are not finite become 0. False where some are special: then the panels are of other values than before.
  bool settle_values() {
    settled_ = true;
    ordinary_ = panels_.finish();
    if (ordinary_) return true;
    replaced_.assign(v_.begin(), v_.end());
    for (float& x : replaced_) x = std::fabs(x) <= std::numeric_limits<float>::max() ? x : 0;
    finite_ = replaced_;
    seen_.clear(panels_.stride());
    panels_.assign(finite_, shape_.d, shape_.n, {}, shape_.causal ? ColumnRanges{} : seen_.ranges());
    panels_.finish();
    if (!shape_.causal) {
      for (std::size_t key = 0; key < shape_.n; ++key) add_traits(key, seen_);
    } else if (!arith_->dialects.mask_select) {
      for (std::size_t e = v_.size(); e > 0 && hidden_ == 0; --e)
        if (!(std::fabs(v_[e - 1]) < rounding_.first_special())) hidden_ = (e - 1) / shape_.d + 1;
    }
    return false;
  }

  void add(std::size_t from, std::size_t to, Columns& c) const {
    call_widest<add_keys, const ProductPanels&, std::size_t, std::size_t, Columns&>(panels_, from, to, c);
    if (!ordinary_)
      for (std::size_t key = from; key < to; ++key) add_traits(key, c);
  }
  void add_traits(std::size_t key, Columns& c) const {
    for (std::size_t e = 0; e < shape_.d; ++e) {
      const double x = v_[key * shape_.d + e], magnitude = std::fabs(x);
      if (std::isnan(x)) c.traits[e] |= Columns::kNan;
      else if (std::isinf(x)) c.traits[e] |= x > 0 ? Columns::kPlusInf : Columns::kMinusInf;
      else if (magnitude >= rounding_.overflow) c.traits[e] |= Columns::kMayRoundToInf;
      else if (arith_->flushes(x) || (rounding_.u_in > 0 && magnitude < kFloatMinNormal))
        c.traits[e] |= Columns::kSmall;
    }
  }
  const Columns& without_gaps() {
    some_.clear(panels_.stride());
    for (std::size_t j = 0; j < keys_; ++j)
      if (!weights_.is_gap(j)) add(j, j + 1, some_);
    return some_;
  }

  void run_row(std::size_t i, RowOut out) {
    const std::size_t keys = shape_.keys(i);  // rows see ever more
    if (shape_.causal) add(keys_, keys, seen_);
    keys_ = keys;
    row_ = weights_.row(i);
    if (row_.state == AttentionRow::unspecified) return out.flag_all(kAny, row_.reason);
    if (row_.state == AttentionRow::nan) return out.flag_all(kNanRequired);
    if (row_.state == AttentionRow::nothing) return out.flag_all(kNanOk | kZeroOk);
    row_.nan_ok |= keys < hidden_;
    sum_values();
    if (!settled_ && !settle_values()) sum_values();
    finish_row(columns(), out);
  }
  const Columns& columns() { return row_.gaps ? without_gaps() : seen_; }

  // Sums over keys for all elements of the row at once.
  void sum_values() {
    const WeightRow& w = weights_.weights;
    drift_ = needs_drift(static_cast<double>(shape_.n), arith_->sum);
    ProductRow row{.a = std::span(w.t).first(keys_), .drift = drift_, .weights = {w.t_rel, {}}};
    if (drift_) row.other = w.p;
    if (weights_.two_tiers) row.weights[1] = w.t_rel_rig;
    sums_.run(row, panels_, shape_.d);
  }

  void finish_row(const Columns& columns, RowOut& out) const {
    const SumArms arms(static_cast<double>(keys_), arith_->sum);
    for (std::size_t e = 0; e < shape_.d; ++e) {
      const int traits = columns.traits[e], infs = traits & (Columns::kPlusInf | Columns::kMinusInf);
      const double values = columns.abs_sum[e];
      if (traits & Columns::kNan || infs == (Columns::kPlusInf | Columns::kMinusInf)) {
        out.flag(e, kNanRequired);
      } else if (traits & Columns::kMayRoundToInf) {
        out.flag(e, kAny, Reason::input_rounding);
      } else if (infs) {
        out.flag(e, kNanOk);  // 0 * Inf where a weight underflows
        out.r[e] = infs == Columns::kPlusInf ? kInf : -kInf;
      } else if (values > Arith::overflow || reduction_overflows(values)) {
        out.flag(e, kAny, Reason::overflow);
      } else {
        const Bound tight = bound(e, columns, arms, false), rigorous = bound(e, columns, arms, true);
        out.r[e] = sums_.value[e] / weights_.weights.sum;
        out.e[e] = tight.total();
        out.e_rig[e] = std::max(tight.total(), rigorous.total());
        out.flags[e] = row_.nan_ok ? kNanOk : 0;
      }
    }
  }

  struct Bound {
    double weights, accumulation, division, rescaling, cast, rounding, reduction, underflow;
    bool weights_known;  // else the result only lies between the least and the largest value
    double total() const {
      return weights + accumulation + division + rescaling + cast + rounding + reduction + underflow;
    }
  };
  Bound bound(std::size_t e, const Columns& columns, const SumArms& arms, bool rigorous) const {
    const WeightRow& w = weights_.weights;
    const double over_l = 1 / w.sum, abs_sum = sums_.abs_sum[e] * over_l, r = sums_.value[e] * over_l;
    const double rel_l = rigorous ? row_.rel_l_rig : row_.rel_l, largest = columns.largest(e);
    const double values = columns.abs_sum[e];
    const bool known = rel_l <= 0.25;  // the sum of the weights is
    const double weight = known ? abs_sum : largest;
    const double hull = std::max({columns.max[e] - r, r - columns.min[e], 0.0});
    Bound b{};
    b.weights_known = known && !(rigorous ? w.loose_rig : w.loose);
    b.weights = hull;
    if (b.weights_known) {
      const double errors = sums_.weighted[rigorous && weights_.two_tiers][e];
      b.weights = std::min(hull, errors * over_l + 1.2 * abs_sum * rel_l);
    }
    b.accumulation = sum_error(e, arms, rigorous);
    if (!known) b.accumulation += (rigorous ? arms.n : arms.lam * std::sqrt(arms.n)) * u * largest;
    b.division = 4 * u * weight;
    b.rescaling = row_.rescaling * weight;
    const Arith& a = *arith_;
    if (a.dialects.p_cast && a.in != DType::f32)
      b.cast = 1.05 * info(a.in).unit_roundoff * weight + half_min_subnormal(a.in) * values;
    if (reduced_precision())
      b.reduction = 1.05 * info(a.out).unit_roundoff * weight + arms.n * half_min_subnormal(a.out);
    if (rounding_.u_in > 0) b.rounding = (2 * rounding_.u_in + 2 * rounding_.u_in * rounding_.u_in) * weight;
    b.underflow = a.flush_results ? a.eta * (arms.n + 1 + values) : 0x1p-147 * (1 + values);
    const bool small = columns.traits[e] & Columns::kSmall;
    if (small || rounding_.u_in > 0) add_small_operands(e, small, b);
    return b;
  }

  // E_sum of the sum over keys, divided by l: of t v and of (t / l) v.
  double sum_error(std::size_t e, const SumArms& arms, bool rigorous) const {
    const WeightRow& w = weights_.weights;
    const double l = w.sum, abs_sum = sums_.abs_sum[e];
    const double drift = drift_ ? std::max(sums_.drift[e], sums_.other_drift[e] * l) : 0;
    double error = rigorous ? arms.rigorous(abs_sum) : arms.tight(abs_sum, drift);
    if (!tensor_cores_) return (error - arms.tail) / l + arms.tail;
    SumBound plain;
    plain.tight = plain.rigorous = error;
    const auto on_tensor_cores = [&](const auto& weight, double unit) {
      const SumBound b = tensor_core_bound(
          keys_, [&](std::size_t j) { return double{weight[j]}; },
          [&](std::size_t j) { return double{finite_[j * shape_.d + e]}; },
          tensor_core_format(arith_->in, rounding_.u_in > 0), arith_->sum, plain);
      error = std::max(error, (rigorous ? b.rigorous : b.tight) * unit);
    };
    on_tensor_cores(w.t, 1);
    on_tensor_cores(w.p, l);
    return error / l;
  }

  // Operands below the smallest normal number: flushed, or rounded to tf32.
  void add_small_operands(std::size_t e, bool values, Bound& b) const {
    const WeightRow& w = weights_.weights;
    const double over_l = 1 / w.sum;
    for (std::size_t j = 0; j < keys_; ++j) {
      const double x = finite_[j * shape_.d + e], p = w.t[j] * over_l;
      if (values && arith_->flushes(x)) b.underflow += p * std::fabs(x);
      if (rounding_.u_in > 0)
        b.rounding += rounding_.cast(x) * std::min(1.0, 1.3 * p) + rounding_.cast(p) * std::fabs(x);
    }
  }
  bool reduced_precision() const { return arith_->dialects.rpr && arith_->out != DType::f32; }
  bool reduction_overflows(double abs_sum) const {
    return reduced_precision() && arith_->out == DType::f16 && abs_sum > 65504;
  }

  void explain(const RowOut& out, std::size_t column, Explanation& e) {
    const bool settled =
        row_.state != AttentionRow::weighted || (out.flags[column] & ~kNanOk) || std::isinf(out.r[column]);
    if (settled) return;
    const Bound b = bound(column, columns(), SumArms(static_cast<double>(keys_), arith_->sum), false);
    std::vector<std::pair<std::string, double>> parts = {{"accumulation", b.accumulation},
                                                         {"division", b.division},
                                                         {"online rescaling", b.rescaling},
                                                         {"16-bit P", b.cast},
                                                         {"rounding of the inputs", b.rounding},
                                                         {"16-bit reduction", b.reduction},
                                                         {arith_->flush_results ? "FTZ" : "underflow", b.underflow}};
    explain_weights(column, b, parts);
    e.set(std::move(parts));
  }
  // The part that errors of the weights have: through each weight, and through their sum.
  void explain_weights(std::size_t column, const Bound& b, std::vector<std::pair<std::string, double>>& parts) const {
    if (!b.weights_known) {
      parts.emplace_back("weights (result only known to lie among the values)", b.weights);
      return;
    }
    const WeightRow& w = weights_.weights;
    const double abs_sum = sums_.abs_sum[column] / w.sum;
    std::vector<double> weight(keys_);
    for (std::size_t j = 0; j < weight.size(); ++j)
      weight[j] = w.t[j] / w.sum * (std::fabs(finite_[j * shape_.d + column]) + 1.2 * abs_sum);
    const AttentionWeights::Parts errors = weights_.parts(weight);
    const double exp = 3 * u * 2.2 * abs_sum, accumulation = 1.2 * abs_sum * row_.accumulation;
    const double rescaling = 1.2 * abs_sum * row_.rescaling;
    const double whole = errors.scores + errors.argument + exp + accumulation + rescaling;
    const double capped = whole > 0 ? b.weights / whole : 0;  // below 1 where the values lie close together
    parts[0].second += capped * accumulation;
    parts[2].second += capped * rescaling;
    parts.emplace_back("scores", capped * errors.scores);
    parts.emplace_back("argument rounding", capped * errors.argument);
    parts.emplace_back("exp", capped * exp);
  }

  const Arith* arith_ = nullptr;
  AttentionShape shape_;
  InputRounding rounding_;
  bool tensor_cores_ = false, drift_ = false;
  AttentionWeights weights_;
  // One head's values: as they are, and with 0 for what is not finite; whether all are of an ordinary magnitude.
  std::span<const float> v_, finite_;
  std::vector<float> replaced_;
  bool ordinary_ = true, settled_ = false;
  std::size_t hidden_ = 0;  // keys up to the last one that may come through a mask as NaN
  ProductPanels panels_;
  // One row.
  AttentionRow row_;
  std::size_t keys_ = 0;  // that it sees
  Columns seen_, some_;
  ProductSums sums_;  // over keys: of t v, with the drift of (t / l) v, weighted by the errors of t
};

void attention_reference(const RefContext& c, std::vector<Reference>& refs) {
  static thread_local Attention attention;
  const int output = c.schema.tensor_index("o");
  refs[output].resize(std::size_t{c.dim("B")} * c.dim("M") * c.dim("D"));
  attention.run(c, refs[output], output);
}

}  // namespace

namespace ops {
constexpr std::string_view kAlgorithms[] = {"flash"};

Op attention_op() {
  Op op;
  Schema& s = op.schema;
  s.dtypes = float_dtypes();
  s.dims = {dim_spec("B", 8), dim_spec("M", 128), dim_spec("N", 1025), dim_spec("D", 128)};
  s.dims[0].independent = s.dims[1].independent = true;
  s.tensors = {in_tensor("q", {0, 1, 3}), in_tensor("k", {0, 2, 3}), in_tensor("v", {0, 2, 3}),
               out_tensor("o", {0, 1, 3})};
  // Scores beyond 2^28 and values whose sum overflows are unspecified.
  s.tensors[0].top_exponent = s.tensors[1].top_exponent = 11;
  s.tensors[2].top_exponent = 115;
  s.flags = {{"causal"}};
  // A row costs a block of threads and each of its scores an exponential, in units of two multiply-adds.
  s.work = [](const Dims& d) { return std::uint64_t{d[0]} * d[1] * (std::uint64_t{d[2]} * (d[3] + 16) + 1024); };
  s.max_work = 65 * (65 * (65 + 16) + 1024);  // about 6 ms on the CPU executor
  s.max_elements = 4 * 65 * 1025;
  op.algorithms = kAlgorithms;
  op.reference = attention_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
