// The mutator: decode, change the case in one to four places, encode.
#include "schema/mutate/mutate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

using namespace wire;

// The last override goes until the bytes fit; what is left of a header is cut.
std::size_t write(const Schema& s, TestCase c, std::uint8_t* out, std::size_t max_size) {
  Bytes b = encode(s, c);
  while (b.size() > max_size && !c.overrides.empty()) {
    c.overrides.pop_back();
    b = encode(s, c);
  }
  const std::size_t n = std::min(b.size(), max_size);
  if (n > 0) std::memcpy(out, b.data(), n);
  return n;
}

// Microseconds.
constexpr std::uint64_t kSmallBudget = 128, kThinBudget = 640, kFirstBudget = 2048, kLargestBudget = 1u << 16;

class Mutator {
 public:
  Mutator(const Schema& s, const Knowledge& k, Rng& rng) : s_(s), k_(k), rng_(rng) {
    for (std::size_t i = 0; i < s.dims.size(); ++i)
      if (!s.dims[i].derive && largest_dim(s.dims[i]) > smallest_dim(s.dims[i]))
        free_dims_.push_back(static_cast<int>(i));
    for (std::size_t t = 0; t < s.tensors.size(); ++t)
      if (s.tensors[t].role == Role::in || s.tensors[t].role == Role::inout) inputs_.push_back(static_cast<int>(t));
  }

  bool smallest(const TestCase& c) const {
    return std::all_of(free_dims_.begin(), free_dims_.end(), [&](int i) {
      return c.dims[static_cast<std::size_t>(i)] == smallest_dim(s_.dims[static_cast<std::size_t>(i)]);
    });
  }

  // Cheap enough to keep its size for a reason.
  bool affordable(const TestCase& c) const { return cost(c.dims) <= kThinBudget; }

  // Whether a learned value was put in its place: then size is what was asked for, and trim() must not undo it.
  bool targeted() const { return targeted_; }

  // Most faults show in small cases, and a large one costs thousands of them: dims are made smaller, at random, until the case
  // costs no more than a budget that is small in most draws and without limit in few. The expected cost is the same for
  // every power of two.
  void trim(TestCase& c, bool fresh, std::uint64_t budget = kSmallBudget) {
    while (budget < kLargestBudget && rng_.chance(1, 2)) budget *= 2;
    if (free_dims_.empty() || cost(c.dims) <= budget) return;
    // Most faults need only one large dim: in two of three cases the others become next to nothing at once. A dim that was just
    // changed is the one that stays; otherwise the first, in an order that starts anywhere, that the budget allows as it is.
    std::uint32_t at = changed_ ? *changed_ : rng_.below(static_cast<std::uint32_t>(free_dims_.size()));
    for (int tries = 0; !changed_ && tries < 4 && independent(at); ++tries)
      at = rng_.below(static_cast<std::uint32_t>(free_dims_.size()));
    if (rng_.chance(2, 3)) {
      const TestCase whole = c;
      const std::uint32_t first = at;
      for (std::uint32_t k = 0; k < (changed_ ? 1 : free_dims_.size()); ++k) {
        const std::uint32_t next = (first + k) % static_cast<std::uint32_t>(free_dims_.size());
        if (k > 0 && independent(next)) continue;
        at = next;
        c = whole;
        make_thin(c, at, fresh);
        if (changed_ ? affordable(c) : cost(c.dims) <= budget) return;
      }
    }
    for (int tries = 0; tries < 32 && cost(c.dims) > budget; ++tries) {
      const auto i = static_cast<std::size_t>(free_dims_[at]);
      const TestCase before = c;
      const std::uint32_t now = c.dims[i], boundary = any<std::uint16_t>(boundary_table());
      c.dims[i] = clamp_dim(s_.dims[i], boundary < now && rng_.chance(1, 2) ? boundary : now / 2);
      repair(s_, c);
      const bool pays = 8 * cost(c.dims) <= 7 * cost(before.dims);  // another dim may be what costs
      if (!pays) c = before;
      if (!pays || c.dims[i] == smallest_dim(s_.dims[i]) || rng_.chance(1, 8))
        at = (at + 1) % static_cast<std::uint32_t>(free_dims_.size());
    }
  }

  void once(TestCase& c) {
    const std::uint32_t what = rng_.below(100);
    if (what < 38) change_dim(c);
    else if (what < 63) change_recipe(c);
    else if (what < 83) change_overrides(c);
    else if (what < 95) change_field(c);
    else flip_bits(c);
  }

 private:
  bool independent(std::uint32_t free) const { return s_.dims[static_cast<std::size_t>(free_dims_[free])].independent; }
  template <class T>
  const T& any(std::span<const T> v) {
    return v[rng_.below(static_cast<std::uint32_t>(v.size()))];
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(rng_.next() >> 32); }
  std::uint32_t random() { return static_cast<std::uint32_t>(rng_.next() >> 32); }
  std::int64_t nudge() { return static_cast<std::int64_t>(rng_.below(3)) - 1; }

  // Every free dim but number `at` becomes 1, 2 or 3.
  void make_thin(TestCase& c, std::uint32_t at, bool fresh) {
    for (std::uint32_t k = 0; k < free_dims_.size(); ++k) {
      const auto i = static_cast<std::size_t>(free_dims_[k]);
      if (k != at)
        c.dims[i] =
            std::min(c.dims[i], clamp_dim(s_.dims[i], independent(k) && rng_.chance(1, 2) ? 1 : 1 + rng_.below(3)));
    }
    if (fresh) {  // the caps have cut it to fit beside the others
      const auto i = static_cast<std::size_t>(free_dims_[at]);
      c.dims[i] = clamp_dim(s_.dims[i], rng_.chance(2, 3) ? boundary(s_.dims[i]) : 1 + rng_.below(s_.dims[i].max));
    }
    repair(s_, c);
  }

  // A value of the boundary table; of a dim that reaches beyond the table as often one out there: a power of two, a neighbour of
  // one, or the end of the dim's range.
  std::uint32_t boundary(const DimSpec& d) {
    const std::uint32_t last = boundary_table().back();
    if (d.max <= last || rng_.chance(1, 2)) return any<std::uint16_t>(boundary_table());
    const auto first = static_cast<std::uint32_t>(std::bit_width(last)),
               end = static_cast<std::uint32_t>(std::bit_width(d.max));
    const std::uint32_t power = first + rng_.below(end - first + 1);
    return power == end ? d.max - rng_.below(2) : (1u << power) - 1 + rng_.below(3);
  }

  // The caps would halve a dim beyond the table again, since it is the largest: the others make room.
  void set_dim(TestCase& c, std::size_t i, std::int64_t v) {
    c.dims[i] = clamp_dim(s_.dims[i], static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, 0, kMaxDimValue)));
    if (c.dims[i] > boundary_table().back()) make_room(s_, c.dims, i);
  }

  void change_dim(TestCase& c) {
    if (free_dims_.empty()) return change_recipe(c);
    if (k_.enabled && !k_.pairs().empty() && rng_.chance(2, 5) && answer_comparison(c)) return;
    const std::uint32_t at = rng_.below(static_cast<std::uint32_t>(free_dims_.size()));
    const auto i = static_cast<std::size_t>(free_dims_[at]);
    changed_ = at;
    const DimSpec& d = s_.dims[i];
    const std::int64_t now = c.dims[i];
    const bool tiles = k_.enabled && !k_.tiles().empty(), operands = k_.enabled && !k_.operands().empty();
    std::int64_t v = now;
    switch (rng_.below(10)) {
      case 0:
      case 1: v = boundary(d); break;
      case 2: v = 1 + rng_.below(d.max); break;
      case 3: v = 1 + rng_.below(1u + (d.max >> rng_.below(10))); break;  // small values as often as large ones
      case 4: v = now + (rng_.chance(1, 2) ? 1 : -1); break;
      case 5: v = rng_.chance(1, 2) ? now * 2 : now / 2; break;
      case 6: v = c.dims[static_cast<std::size_t>(any<int>(free_dims_))]; break;
      case 7:
      case 8:
        if (operands && (!tiles || rng_.chance(1, 2)))
          v = k_.recurring_operands().pick(random()) + (rng_.chance(2, 3) ? 0 : nudge());
        else if (tiles)
          v = any(k_.tiles()) * static_cast<std::int64_t>(rng_.chance(1, 2) ? 1 : 1 + rng_.below(8)) + nudge();
        else v = boundary(d) + nudge();
        break;
      default:
        if (tiles) v = any(k_.tiles()) * static_cast<std::int64_t>(1 + rng_.below(4)) + nudge();
        else v = boundary(d);
    }
    if (rng_.chance(1, 64)) v = 0;
    set_dim(c, i, v);
  }

  // A dim that stood on one side of a comparison becomes what stood on the other side. All others stay, so that a
  // conjunction is solved one comparison after another.
  bool answer_comparison(TestCase& c) {
    const auto i = static_cast<std::size_t>(any<int>(free_dims_));
    const DimSpec& d = s_.dims[i];
    answers_.clear();
    for (const Knowledge::Pair& p : k_.pairs())
      if (p.a == c.dims[i] || p.b == c.dims[i]) answers_.push_back(p.a == c.dims[i] ? p.b : p.a);
    // What recurs much more than the others may be a constant; a dim that equals one has its answer already.
    const Recurring<std::uint32_t>& known = k_.recurring_operands();
    const std::uint32_t now = rng_.chance(1, 2) ? known.hits(c.dims[i]) : 0;
    std::erase_if(answers_, [&](std::uint32_t v) { return clamp_dim(d, v) != v || now > 4 * known.hits(v) + 8; });
    if (answers_.empty()) return false;
    targeted_ = true;
    const std::int64_t v = any<std::uint32_t>(answers_) + (rng_.chance(1, 4) ? nudge() : 0);
    set_dim(c, i, v);
    return true;
  }

  TensorRecipe any_recipe(const TensorRecipe& now) {
    return {byte(), byte(), byte(), byte(), random(), now.layout, now.present};
  }

  void change_recipe(TestCase& c) {
    if (rng_.chance(1, 6)) {  // other contents altogether: what stands in one tensor may hide what another shows
      for (int t : inputs_) c.tensors[static_cast<std::size_t>(t)] = any_recipe(c.tensors[static_cast<std::size_t>(t)]);
      return;
    }
    const auto t = rng_.below(static_cast<std::uint32_t>(s_.tensors.size()));
    TensorRecipe& r = c.tensors[t];
    const TensorSpec& spec = s_.tensors[t];
    switch (rng_.below(12)) {
      case 0:
      case 1:
      case 2: r.fill = byte(); break;
      case 3: r.amp = byte(); break;
      case 4:
      case 5: r.seed = static_cast<std::uint32_t>(rng_.next() >> 32); break;
      case 6:
      case 7: r.param = byte(); break;
      case 8: r.rate = rng_.chance(1, 2) ? static_cast<std::uint8_t>(rng_.below(14)) : 0; break;
      case 9: r.layout = static_cast<Layout>(rng_.below(4)); break;
      case 10: r = any_recipe(r); break;
      default:
        if (spec.optional) r.present = !r.present;
        else if (inputs_.size() > 1) r = c.tensors[static_cast<std::size_t>(any<int>(inputs_))];
        else r.fill = byte();
    }
    if (spec.optional && !r.present && rng_.chance(1, 3)) r.present = true;
  }

  std::uint16_t override_value(std::uint8_t& flags) {
    if (k_.enabled && !k_.float_operands().empty() && rng_.chance(1, 2)) {
      const double v = k_.recurring_floats().pick(random());
      if (std::signbit(v)) flags |= kNegate;
      else flags &= static_cast<std::uint8_t>(~kNegate);
      return f16_bits(std::fabs(v));
    }
    if (rng_.chance(1, 4)) flags ^= kNegate;
    if (rng_.chance(2, 3)) return static_cast<std::uint16_t>(kSpecial | rng_.below(kSpecialCount));
    return static_cast<std::uint16_t>(rng_.below(0x7c00));
  }

  void place(const TestCase& c, Override& o) {
    const TensorSpec& t = s_.tensors[o.tensor];
    const std::size_t rank = t.shape.size(), skip = rank > 4 ? rank - 4 : 0;
    for (std::size_t i = 0; i + skip < rank; ++i) {
      const std::uint32_t n = extent(c.dims, t.shape[i + skip]);
      const bool end = rng_.chance(1, 2);
      o.flags = static_cast<std::uint8_t>((o.flags & ~(1u << i)) | (end ? 1u << i : 0));
      o.at[i] = static_cast<std::uint16_t>(rng_.chance(1, 3) ? 0 : rng_.below(std::min(n, 0xffffu)));
    }
  }

  void change_overrides(TestCase& c) {
    if (inputs_.empty()) return change_dim(c);
    const std::uint32_t what = c.overrides.empty() ? 0 : rng_.below(10);
    if (what >= 8) {
      c.overrides.erase(c.overrides.begin() + rng_.below(static_cast<std::uint32_t>(c.overrides.size())));
      return;
    }
    if (what < 4 && c.overrides.size() < kMaxOverrides) {
      Override o;
      o.tensor = static_cast<std::uint8_t>(any<int>(inputs_));
      if (s_.tensors[o.tensor].optional) c.tensors[o.tensor].present = true;
      if (rng_.chance(1, 8)) o.flags = kWholeRow;
      o.value = override_value(o.flags);
      place(c, o);
      c.overrides.push_back(o);
      return;
    }
    Override& o = c.overrides[rng_.below(static_cast<std::uint32_t>(c.overrides.size()))];
    switch (what & 3) {
      case 0: o.value = override_value(o.flags); break;
      case 1: place(c, o); break;
      case 2: o.flags ^= rng_.chance(1, 3) ? kWholeRow : static_cast<std::uint8_t>(1u << rng_.below(4)); break;
      default: o.at[rng_.below(4)] += rng_.chance(1, 2) ? 1 : 0xffff;
    }
  }

  void change_field(TestCase& c) {
    switch (rng_.below(8)) {
      case 0:
      case 1: c.dtype = byte(); break;
      case 2:
      case 3:
        if (!s_.scalars.empty()) c.scalars[rng_.below(static_cast<std::uint32_t>(s_.scalars.size()))] = byte();
        else c.dtype = byte();
        break;
      case 4:
      case 5:
        if (!s_.flags.empty())
          c.flags ^= static_cast<std::uint8_t>(1u << rng_.below(static_cast<std::uint32_t>(s_.flags.size())));
        else change_recipe(c);
        break;
      case 6: c.calls ^= 1; break;
      default: c.order = byte();
    }
  }

  void flip_bits(TestCase& c) {
    Bytes b = encode(s_, c);
    if (b.size() < kHeaderSize) b.resize(kHeaderSize, 0);
    for (std::uint32_t n = 1 + rng_.below(4); n > 0; --n) {
      const std::size_t at = 1 + rng_.below(static_cast<std::uint32_t>(b.size() - 1));  // never the version
      if (rng_.chance(1, 2)) b[at] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
      else b[at] = byte();
    }
    if (rng_.chance(1, 8)) b.resize(b.size() + 1 + rng_.below(2 * kOverrideSize), byte());
    c = decode(s_, b);
  }

  // Roughly microseconds on the CPU executor: elements, multiply-adds, and a block of threads for each step of the outermost dim.
  std::uint64_t cost(const Dims& dims) const {
    const std::uint64_t elements = total_elements(s_, dims), work = s_.work ? total_work(s_, dims) : 0;
    return elements / 16 + work / 128 + (s_.dims.size() > 1 ? 40 * dims[0] : 0);
  }

  const Schema& s_;
  const Knowledge& k_;
  Rng& rng_;
  bool targeted_ = false;
  std::optional<std::uint32_t> changed_;  // the free dim that was changed last
  std::vector<int> free_dims_, inputs_;
  std::vector<std::uint32_t> answers_;
};

}  // namespace

std::size_t fresh_case(const Schema& s, std::uint64_t seed, bool first, std::uint8_t* out, std::size_t max_size) {
  Rng rng(mix64(seed));
  TestCase c = decode(s, random_case(rng.next()));
  if (rng.chance(1, 2)) c.flags = 0;  // a flag leaves less of a small case to look at
  const Knowledge nothing;
  Mutator(s, nothing, rng).trim(c, true, first ? kFirstBudget : kSmallBudget);
  return write(s, c, out, max_size);
}

std::size_t mutate(const Schema& s, const Knowledge& k, std::span<const std::uint8_t> in, std::uint64_t seed,
                   std::uint8_t* out, std::size_t max_size) {
  Rng rng(mix64(seed) ^ hash_bytes(in.data(), in.size()));
  const TestCase before = decode(s, in);
  // Next to nothing is known of a nearly empty input, and little of one with all dims at their smallest: start from a full one.
  Mutator m(s, k, rng);
  if (in.size() <= 4 ? rng.chance(3, 4) : m.smallest(before) ? rng.chance(3, 4) : rng.chance(1, 4)) {
    return fresh_case(s, rng.next(), false, out, max_size);
  }
  TestCase c = before;
  for (int tries = 0; tries < 4 && c == before; ++tries) {
    for (std::uint32_t n = rng.chance(1, 2) ? 1 : 1 + rng.below(4); n > 0; --n) {
      m.once(c);
      repair(s, c);
    }
  }
  if (!m.targeted() && !(c.dims == before.dims && m.affordable(c))) m.trim(c, false);
  return write(s, c, out, max_size);
}

std::size_t crossover(const Schema& s, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                      std::uint64_t seed, std::uint8_t* out, std::size_t max_size) {
  Rng rng(mix64(seed) ^ hash_combine(hash_bytes(a.data(), a.size()), hash_bytes(b.data(), b.size())));
  const TestCase x = decode(s, a), y = decode(s, b);
  const auto pick = [&](const auto& of_x, const auto& of_y) { return rng.chance(1, 2) ? of_x : of_y; };
  TestCase c = x;
  c.dtype = pick(x.dtype, y.dtype);
  c.flags = pick(x.flags, y.flags);
  c.calls = pick(x.calls, y.calls);
  c.order = pick(x.order, y.order);
  if (rng.chance(1, 2)) c.dims = pick(x.dims, y.dims);  // as one, or each for itself
  else
    for (std::size_t i = 0; i < c.dims.size(); ++i) c.dims[i] = pick(x.dims[i], y.dims[i]);
  for (std::size_t i = 0; i < c.scalars.size(); ++i) c.scalars[i] = pick(x.scalars[i], y.scalars[i]);
  for (std::size_t i = 0; i < c.tensors.size(); ++i) c.tensors[i] = pick(x.tensors[i], y.tensors[i]);
  c.tail = pick(x.tail, y.tail);
  c.overrides.clear();
  for (const TestCase* from : {&x, &y})
    for (const Override& o : from->overrides)
      if (rng.chance(2, 3)) c.overrides.push_back(o);
  repair(s, c);
  const Knowledge nothing;
  Mutator(s, nothing, rng).trim(c, false);
  return write(s, c, out, max_size);
}

Bytes random_case(std::uint64_t seed) {
  Rng rng(mix64(seed ^ 0x7a6d0ca5eull));
  Bytes b(kHeaderSize + kOverrideSize * rng.below(4));
  for (auto& x : b) x = static_cast<std::uint8_t>(rng.next() >> 32);
  for (std::size_t k = 0; k < kMaxDims; ++k)  // all begin at 0: elsewhere they would merely be those of another seed
    std::fill_n(b.begin() + kTensorsAt + kTensorSize * k + kFromAt, 2, std::uint8_t{0});
  return b;
}

}  // namespace warpfuzz
