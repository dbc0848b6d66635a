// Judging a run: a fast path that settles ordinary correct elements in a few comparisons, the exact rule for the rest.
#include "oracle/judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "numeric/round.h"
#include "oracle/attributes.h"
#include "oracle/half_spacing.h"
#include "schema/fill/fill.h"
#include "schema/fill/poison.h"

namespace warpfuzz {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class TensorJudge {
 public:
  TensorJudge(const JudgeInput& in, int tensor, Verdict& v)
      : in_(in),
        ref_(in.refs[tensor]),
        bytes_(in.outputs[tensor]),
        dtype_(tensor_dtype(in.schema, in.test_case, tensor)),
        info_(info(dtype_)),
        half_(info_),
        ftz_(in.row.ftz && !in.dialects.no_ftz),
        verdict_(v) {
    const TensorLayout layout = tensor_layout(in.schema, in.test_case, tensor);
    set_.tensor = tensor;
    set_.shape = layout.shape;
    n_ = layout.elements;
    if (ref_.r.size() != n_ || bytes_.size() != n_ * info_.size)
      throw std::logic_error("judge: tensor '" + in.schema.tensors[tensor].name + "' has " + std::to_string(n_) +
                             " elements, its reference " + std::to_string(ref_.r.size()) + ", its output " +
                             std::to_string(bytes_.size()) + " bytes");
    poison_ = in.poison ? in.poison(dtype_) : 0;
    has_poison_ = static_cast<bool>(in.poison);
  }

  void run() {
    verdict_.total += n_;
    if (info_.floating && info_.size <= 4) {
      std::vector<float>& y = buffer();
      y.resize(n_);
      load_floats(dtype_, bytes_.data(), n_, y.data());
      judge_floats(y.data());
    } else {
      for (std::size_t i = 0; i < n_; ++i) {
        const double y = load_element(dtype_, bytes_.data() + i * info_.size);
        zero_ += y == 0;
        exact(i, y);
      }
    }
    verdict_.zero += zero_;
    verdict_.subnormal += subnormal_;
    verdict_.exact += exact_;
    verdict_.max_ratio = std::max(verdict_.max_ratio, max_ratio_);
    if (largest_ > 0) verdict_.sensitivity = std::max(verdict_.sensitivity, largest_bound_ / largest_);
    set_.all_outputs_zero = zero_ == n_;
    set_.max_ratio = wrong_ratio_;
  }

  // The lists of wrong elements are as long as the output where all is wrong: their memory is used again by the next case.
  void give_back() {
    if (set_.elements.capacity() > spare().elements.capacity())
      spare().elements.swap(set_.elements), spare().got.swap(set_.got);
  }

  bool has_wrong() const { return any_wrong_; }
  bool has_beyond() const { return !beyond_.empty(); }
  Wrong first() const { return set_.first; }
  double wrong_ratio() const { return wrong_ratio_; }

  // The verdict's worst element and attributes from the wrong elements of this tensor, or from those beyond E alone.
  void describe() {
    if (set_.elements.empty()) {
      set_.elements = beyond_, set_.got = beyond_got_, set_.first = Wrong::value;
      worst_ = beyond_worst_;
      set_.max_ratio = beyond_ratio_;
    }
    verdict_.kind = kind_of(set_, ref_, dtype_, verdict_.const_ratio);
    verdict_.location = location_of(set_, in_.tiles);
    verdict_.shape_class.clear();
    for (const std::uint32_t d : set_.shape) verdict_.shape_class.push_back(shape_class_of(d, in_.tiles));
    describe_worst();
  }

 private:
  static std::vector<float>& buffer() {
    static thread_local std::vector<float> b;
    return b;
  }
  static WrongSet& spare() {
    static thread_local WrongSet s;
    return s;
  }

  // An element is settled here when, with lo = r - E and hi = r + E, y lies in [lo, hi] or within half a spacing of
  // it: rounding is monotone and y is a value of the dtype, so Q(lo) <= y <= Q(hi). Directed stores and output
  // flushing only widen that. NaN and Inf fail the comparisons.
  void judge_floats(const float* values) {
    const double c = in_.row.c, least_normal = info_.min_normal;
    const bool excess_only = dtype_ != DType::f32, strict_zero = in_.dialects.strict_zero;
    const double* r = ref_.r.data();
    const double* e = ref_.e.data();
    const std::uint8_t* flags = ref_.flags.data();
    for (std::size_t i = 0; i < n_; ++i) {
      const double y = values[i], bound = c * e[i], abs_y = std::fabs(y);
      zero_ += y == 0;
      subnormal_ += (abs_y < least_normal) & (y != 0);
      const double half = half_.smaller(y);
      // One jump for both ends: which end a wrong output misses depends on its sign, and no processor foresees that.
      const bool inside =
          __builtin_unpredictable((r[i] - bound < y + half) & (r[i] + bound > y - half) & (flags[i] == 0));
      if (__builtin_unpredictable(inside) && !(strict_zero && y == 0)) {
        const double d = std::fabs(y - r[i]), excess = excess_only ? d - half_.full(y) : d;
        largest_bound_ = bound > largest_bound_ ? bound : largest_bound_;
        largest_ = abs_y > largest_ ? abs_y : largest_;
        if (excess > max_ratio_ * bound && bound > 0) max_ratio_ = std::min(1.0, excess / bound);
        exact_ += bound == 0;
        if (in_.stats) count(y, r[i], std::min(1.0, ratio(y, r[i], bound)));
        continue;
      }
      if (__builtin_unpredictable(clearly_wrong(i, y, bound) & (flags[i] == 0))) {
        exact_ += e[i] == 0;
        wrong_value(i, y, bound);
      } else {
        exact(i, y);
      }
    }
  }

  // Settles the opposite as quickly, for kernels whose outputs are all wrong: y's next value towards the interval does not reach
  // past its end, in either tier. Where an end may be flushed or overflow the exact rule decides.
  bool clearly_wrong(std::size_t i, double y, double bound) const {
    const double rig = std::max(bound, in_.row.c * ref_.e_rig[i]), lo = ref_.r[i] - rig, hi = ref_.r[i] + rig,
                 step = 2 * half_.full(y);
    const bool plain = (std::fabs(y) < kInf) & (lo > -info_.max) & (hi < info_.max) &
                       ((lo <= 0) | (lo >= info_.min_normal)) & ((hi >= 0) | (hi <= -info_.min_normal));
    return __builtin_unpredictable(plain & ((y + step <= lo) | (y - step >= hi)));
  }
  void wrong_value(std::size_t i, double y, double bound) {
    const double rho = std::max(ratio(y, ref_.r[i], bound), 1 + 0x1p-20);
    if (std::isfinite(rho)) measured(i, y, rho);
    wrong(i, y, Wrong::value, rho);
  }

  void count(double y, double r, double rho) {
    const double d = std::fabs(y - r);
    in_.stats->absolute.add(d);
    if (r != 0) in_.stats->relative.add(d / std::fabs(r));
    in_.stats->ulps.add(static_cast<double>(ulp_distance(dtype_, y, round_to(dtype_, r))));
    in_.stats->ratios.add(rho);
  }
  // Of integers their distance. |y_pre - r| / E; the value before a 16-bit store is only known to half a spacing. Where E is 0 half a spacing of r
  // takes its place, so that errors of copies have a size too.
  double ratio(double y, double r, double bound) const {
    if (!info_.floating) return std::fabs(y - r);
    const double d = std::fabs(y - r), half = dtype_ == DType::f32 ? 0 : half_.full(y),
                 excess = std::max(0.0, d - half);
    if (excess == 0) return 0;
    return bound > 0 ? excess / bound : d <= half_.full(y) ? 0 : d / half_.full(r);
  }

  std::uint64_t bits(std::size_t i) const {
    std::uint64_t b = 0;
    std::memcpy(&b, bytes_.data() + i * info_.size, info_.size);
    return b;
  }
  bool is_poison(std::size_t i) const { return has_poison_ && bits(i) == (poison_ & mask()); }
  std::uint64_t mask() const { return info_.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * info_.size) - 1; }

  void exact(std::size_t i, double y) {
    const std::uint8_t flags = ref_.flags[i];
    const bool nan = std::isnan(y), inf = std::isinf(y);
    verdict_.nan_got += nan;
    verdict_.inf_got += inf;
    verdict_.nan_expected += (flags & kNanRequired) || ((flags & kBitEqual) && std::isnan(ref_.r[i]));
    verdict_.inf_expected += flags == 0 && std::isinf(ref_.r[i]);
    if (nan && is_poison(i))
      return wrong(i, y, Wrong::unwritten, kInf);  // even where NaN would do: inputs hold no such payload
    if (flags & kAny) {
      ++verdict_.unspecified[static_cast<std::size_t>(ref_.reason[i])];
      return;
    }
    const double bound = bound_of(i);
    exact_ += bit_for_bit(i);
    if (accepts(ref_, i, y, dtype_, in_.row, ftz_, 0)) {
      if (in_.dialects.strict_zero && y == 0 && flags == 0 && ref_.r[i] == 0 &&
          std::signbit(y) != std::signbit(ref_.r[i]))
        return wrong(i, y, Wrong::sign, kInf);
      if (measurable(i, y)) measured(i, y, std::min(1.0, ratio(y, ref_.r[i], bound)));
      return;
    }
    if (!info_.floating) return wrong_integer(i, y);
    const double rho = measurable(i, y) ? std::max(ratio(y, ref_.r[i], bound), 1 + 0x1p-20) : kInf;
    if (std::isfinite(rho)) measured(i, y, rho);
    if (accepts(ref_, i, y, dtype_, in_.row, ftz_, 1)) return suspect(i, y, rho);
    const Wrong kind = broken_rule(i, y);
    wrong(i, y, kind, kind == Wrong::value ? rho : kInf);
  }

  // An index output names elements of a dim; every other integer is a value. Both must equal the reference.
  void wrong_integer(std::size_t i, double y) {
    const double distance = std::fabs(y - ref_.r[i]);
    max_ratio_ = std::max(max_ratio_, distance);
    const bool index = in_.schema.tensors[static_cast<std::size_t>(set_.tensor)].index_dim >= 0;
    wrong(i, y, is_poison(i) ? Wrong::unwritten : index ? Wrong::index : Wrong::value, distance);
  }

  // Elements whose error has a size: finite ones that no rule about special values is about. Copies are among them.
  bool measurable(std::size_t i, double y) const {
    return info_.floating && (ref_.flags[i] & ~kBitEqual) == 0 && std::isfinite(y) && std::isfinite(ref_.r[i]);
  }
  void measured(std::size_t i, double y, double rho) {
    max_ratio_ = std::max(max_ratio_, rho);
    if (in_.stats) count(y, ref_.r[i], rho);
  }

  // The rule that an element breaks: about NaN, Inf or a zero's sign, or simply its value.
  Wrong broken_rule(std::size_t i, double y) const {
    const std::uint8_t flags = ref_.flags[i];
    if (flags & kNanRequired) return std::isinf(y) ? Wrong::inf_unexpected : Wrong::nan_missing;
    if (flags & kNonFinite || ((flags & kBitEqual) && std::isnan(ref_.r[i]))) return Wrong::nan_missing;
    if (std::isnan(y)) return Wrong::nan_unexpected;
    const Interval a = allowed(ref_, i, dtype_, in_.row, ftz_, 1);
    if (std::isinf(y))
      return std::isinf(ref_.r[i]) ? Wrong::inf_missing : Wrong::inf_unexpected;  // the other Inf, or none
    if (std::isinf(a.lo) && a.lo == a.hi) return Wrong::inf_missing;
    if ((flags & kBitEqual) && y == 0 && a.lo == 0) return Wrong::sign;
    return Wrong::value;
  }

  void wrong(std::size_t i, double y, Wrong kind, double rho) {
    ++verdict_.wrong;
    ++verdict_.beyond_tight;
    if (std::isnan(y) && kind != Wrong::unwritten) verdict_.uninitialised += carries_poison(bits(i));
    // The worst element shows the class of the whole: the first of the most telling kind; among values, the largest
    // ratio.
    const bool better = !any_wrong_ || kind < set_.first || (kind == set_.first && rho > wrong_ratio_);
    if (better) {
      worst_ = i;
      wrong_ratio_ = rho;
    }
    set_.first = any_wrong_ ? std::min(set_.first, kind) : kind;
    any_wrong_ = true;
    if (!in_.describe) return;
    if (set_.elements.capacity() == 0) {
      set_.elements.swap(spare().elements), set_.elements.clear();
      set_.got.swap(spare().got), set_.got.clear();
    }
    set_.elements.push_back(static_cast<std::uint32_t>(i));
    set_.got.push_back(y);
  }
  // Outputs that are all NaN mostly hold the same one.
  bool carries_poison(std::uint64_t nan) {
    if (nan != last_nan_) last_nan_ = nan, last_carries_ = !poison_source(dtype_, nan).empty();
    return last_carries_;
  }
  void suspect(std::size_t i, double y, double rho) {
    ++verdict_.beyond_tight;
    if (beyond_.empty() || rho > beyond_ratio_) beyond_worst_ = i, beyond_ratio_ = rho;
    beyond_.push_back(static_cast<std::uint32_t>(i));
    beyond_got_.push_back(y);
  }

  void describe_worst() {
    WrongElement& w = verdict_.worst;
    w.tensor = set_.tensor;
    w.element = worst_;
    w.at.assign(set_.shape.size(), 0);
    std::size_t rest = worst_;
    for (std::size_t a = set_.shape.size(); a-- > 0; rest /= set_.shape[a])
      w.at[a] = static_cast<std::uint32_t>(rest % set_.shape[a]);
    w.got = load_element(dtype_, bytes_.data() + worst_ * info_.size);
    w.got_bits_are_poison = is_poison(worst_);
    if (std::isnan(w.got)) w.carries = poison_source(dtype_, bits(worst_));
    w.exact = bit_for_bit(worst_);
    const bool nan_required = ref_.flags[worst_] & kNanRequired;
    w.reference = nan_required ? std::numeric_limits<double>::quiet_NaN() : ref_.r[worst_];
    const Interval a = allowed(ref_, worst_, dtype_, in_.row, ftz_, 0);
    w.lo = a.lo, w.hi = a.hi;
    w.ulps = std::isnan(w.got) || std::isnan(a.lo) || !info_.floating ? 0
                                                                      : ulp_distance(dtype_, w.got,
                                                                                     w.got < a.lo   ? a.lo
                                                                                     : w.got > a.hi ? a.hi
                                                                                                    : w.got);
    w.ratio = has_flags(worst_) || !std::isfinite(w.got) || !std::isfinite(w.reference)
                  ? kInf
                  : ratio(w.got, w.reference, bound_of(worst_));
  }
  double bound_of(std::size_t i) const { return ref_.flags[i] & kBitEqual ? 0 : in_.row.c * ref_.e[i]; }
  bool bit_for_bit(std::size_t i) const {
    return (ref_.flags[i] & ~kBitEqual) == 0 && ref_.e[i] == 0 && std::isfinite(ref_.r[i]);
  }
  bool has_flags(std::size_t i) const { return ref_.flags[i] & (kNanRequired | kNonFinite); }

  const JudgeInput& in_;
  const Reference& ref_;
  const std::vector<std::byte>& bytes_;
  DType dtype_;
  const DTypeInfo& info_;
  HalfSpacing half_;
  bool ftz_, has_poison_ = false, any_wrong_ = false, last_carries_ = false;
  std::uint64_t poison_ = 0, last_nan_ = 0;
  Verdict& verdict_;
  std::size_t n_ = 0, zero_ = 0, subnormal_ = 0, exact_ = 0, worst_ = 0, beyond_worst_ = 0;
  double max_ratio_ = 0, wrong_ratio_ = 0, beyond_ratio_ = 0, largest_bound_ = 0, largest_ = 0;
  WrongSet set_;
  std::vector<std::uint32_t> beyond_;
  std::vector<double> beyond_got_;
};

FaultClass class_of(Wrong w) {
  switch (w) {
    case Wrong::unwritten: return FaultClass::unwritten;
    case Wrong::index: return FaultClass::index;
    case Wrong::value: return FaultClass::value;
    default: return FaultClass::special;
  }
}

}  // namespace

Verdict judge(const JudgeInput& in) {
  Verdict v;
  std::vector<TensorJudge> tensors;
  for (std::size_t t = 0; t < in.schema.tensors.size(); ++t) {
    const Role role = in.schema.tensors[t].role;
    if ((role != Role::out && role != Role::inout) || t >= in.outputs.size() || in.outputs[t].empty()) continue;
    tensors.emplace_back(in, static_cast<int>(t), v);
    tensors.back().run();
  }
  // The tensor that speaks for the run: the most telling kind, then the largest ratio.
  TensorJudge* speaker = nullptr;
  for (TensorJudge& t : tensors) {
    if (!t.has_wrong()) continue;
    if (!speaker || t.first() < speaker->first() ||
        (t.first() == speaker->first() && t.wrong_ratio() > speaker->wrong_ratio()))
      speaker = &t;
  }
  if (speaker) {
    v.fault = class_of(speaker->first());
  } else {
    for (TensorJudge& t : tensors)
      if (!speaker && t.has_beyond()) speaker = &t;
    v.suspect = speaker != nullptr;
  }
  if (speaker && in.describe) speaker->describe();
  for (TensorJudge& t : tensors) t.give_back();
  if (in.stats) in.stats->counts.add(v);
  return v;
}

void confirm_suspect(Verdict& v) {
  if (!v.suspect) return;
  v.suspect = false;
  v.fault = FaultClass::value;
  v.wrong = v.beyond_tight;
}

}  // namespace warpfuzz
