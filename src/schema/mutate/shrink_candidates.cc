// Simpler versions of a case, and the measure that says what is simpler. Every candidate is strictly simpler by that
// measure, so that shrinking ends whatever the failure looks like; nothing assumes that failing is monotone in a dim.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "schema/codec/byte_tables.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz {
namespace {

std::uint64_t measure(const Schema& s, const TestCase& c, const Bytes& bytes) {
  std::uint64_t elements = 0, non_zero = 0, sum = 0;
  for (std::size_t t = 0; t < s.tensors.size(); ++t)
    if (c.tensors[t].present) elements += tensor_elements(s, c.dims, static_cast<int>(t));
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (i == wire::kDTypeAt) continue;
    non_zero += bytes[i] != 0;
    sum += bytes[i];
  }
  // A rate scatters specials where no dim can be cut around them: an override that says the same is simpler.
  for (std::size_t t = 0; t < s.tensors.size(); ++t)
    if (c.tensors[t].present && rate_of(c.tensors[t].rate) > 0) non_zero += 2 * wire::kOverrideSize;
  const DTypeCombo& d = s.dtypes[c.dtype];
  const unsigned wide = d.in == DType::f32 && d.out == DType::f32 ? 0 : 1u + c.dtype;  // fp32 is the simplest dtype
  non_zero += wide != 0;
  sum += wide;
  return std::min<std::uint64_t>(elements, (1u << 31) - 1) << 32 | std::min<std::uint64_t>(non_zero, 4095) << 20 |
         std::min<std::uint64_t>(sum, (1u << 20) - 1);
}

class Candidates {
 public:
  Candidates(const Schema& s, const TestCase& c) : s_(s), from_(c) {
    repair(s_, from_);
    from_measure_ = measure(s_, from_, encode(s_, from_));
  }

  template <class Change>
  void add(Change change) {
    TestCase c = from_;
    change(c);
    repair(s_, c);
    if (c == from_ || measure(s_, c, encode(s_, c)) >= from_measure_) return;
    if (std::find(out_.begin(), out_.end(), c) == out_.end()) out_.push_back(std::move(c));
  }

  // All inputs at once as ones or small whole numbers: sums of them are exact in every order, and what is still wrong then is wrong
  // in the last bit.
  void whole_numbers() {
    const auto contents = [&](Fill f, std::uint8_t param, bool plain) {
      add([&](TestCase& c) {
        for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
          TensorRecipe& r = c.tensors[t];
          if (r.present && is_float_input(t))
            r = {fill_byte(f), 0, param, 0, f == Fill::ones ? 0u : r.seed & 0xff, r.layout, true};
        }
        c.from = {};
        if (plain) c.overrides.clear(), c.tail.clear();
      });
    };
    for (const bool plain : {true, false}) {
      if (!plain && from_.overrides.empty()) break;
      contents(Fill::ones, 0, plain);
      for (std::uint8_t param : {0, 2, 1}) contents(Fill::small_int, param, plain);
    }
  }
  // Whole numbers may need many terms until a sum of them rounds: a few ordinary numbers that show the same are simpler.
  void few_ordinary_numbers() {
    constexpr std::uint64_t kFew = 64;
    if (total_elements(s_, from_.dims) <= kFew) return;
    for (std::uint32_t extent : {2u, 3u, 8u})
      for (std::uint32_t seed : {1u, 2u})
        add([&](TestCase& c) {
          for (std::size_t i = 0; i < s_.dims.size(); ++i)
            if (!s_.dims[i].derive) c.dims[i] = std::min(c.dims[i], clamp_dim(s_.dims[i], extent));
          for (std::size_t t = 0; t < s_.tensors.size(); ++t)
            if (c.tensors[t].present && is_float_input(t))
              c.tensors[t] = {fill_byte(Fill::normal), 0, 0, 0, seed, c.tensors[t].layout, true};
          c.from = {};
        });
  }
  bool is_float_input(std::size_t t) const {
    const TensorSpec& spec = s_.tensors[t];
    return (spec.role == Role::in || spec.role == Role::inout) && spec.type != TensorType::index32 &&
           spec.type != TensorType::index64;
  }

  void overrides() {
    const std::size_t n = from_.overrides.size();
    if (n == 0) return;
    add([](TestCase& c) { c.overrides.clear(); });
    for (std::size_t part = n / 2; part >= 1; part /= 2)
      for (std::size_t at = 0; at < n; at += part)
        add([&](TestCase& c) {
          c.overrides.erase(c.overrides.begin() + static_cast<std::ptrdiff_t>(at),
                            c.overrides.begin() + static_cast<std::ptrdiff_t>(std::min(at + part, n)));
        });
  }

  // Specials by rate become overrides: all of them where they are two at most, else each alone.
  void specials() {
    for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
      const TensorRecipe& r = from_.tensors[t];
      if (!r.present || rate_of(r.rate) == 0 || from_.overrides.size() + 2 > wire::kMaxOverrides) continue;
      TestCase plain = from_;
      plain.tensors[t].rate = 0;
      std::vector<float> with, without;
      fill_values(s_, from_, static_cast<int>(t), 0, with);
      fill_values(s_, plain, static_cast<int>(t), 0, without);
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < with.size(); ++i)
        if (std::memcmp(&with[i], &without[i], sizeof(float)) != 0) places.push_back(i);
      if (places.size() > 8)
        places.erase(places.begin() + 4, places.end() - 4);  // what matters is at an end more often than inside
      std::vector<Override> found;
      for (std::size_t i : places) found.push_back(override_at(t, i, with[i]));
      if (found.size() == 2)
        add([&](TestCase& c) {
          c.tensors[t].rate = 0;
          c.overrides.insert(c.overrides.end(), found.begin(), found.end());
        });
      for (const Override& o : found)
        add([&](TestCase& c) {
          c.tensors[t].rate = 0;
          c.overrides.push_back(o);
        });
    }
  }

  Override override_at(std::size_t tensor, std::size_t element, float value) const {
    Override o;
    o.tensor = static_cast<std::uint8_t>(tensor);
    const TensorLayout layout = tensor_layout(s_, from_, static_cast<int>(tensor));
    const std::size_t rank = layout.shape.size(), skip = rank > 4 ? rank - 4 : 0;
    for (std::size_t axis = rank; axis-- > 0;) {
      if (axis >= skip) o.at[axis - skip] = static_cast<std::uint16_t>(element % layout.shape[axis]);
      element /= layout.shape[axis];
    }
    for (int i = 0; i < kSpecialCount; ++i) {
      const double special = special_value(i, layout.dtype);
      const bool same =
          std::isnan(special) ? std::isnan(value) : special == value && std::signbit(special) == std::signbit(value);
      if (same) o.value = static_cast<std::uint16_t>(wire::kSpecial | i);
    }
    return o;
  }

  void flags_layouts_calls() {
    add([](TestCase& c) { c.flags = 0; });
    for (int i = 0; i < kMaxFlags; ++i) add([i](TestCase& c) { c.flags &= static_cast<std::uint8_t>(~(1u << i)); });
    add([](TestCase& c) {
      for (TensorRecipe& r : c.tensors) r.layout = Layout::contiguous;
    });
    for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
      add([t](TestCase& c) { c.tensors[t].layout = Layout::contiguous; });
      if (s_.tensors[t].optional) add([t](TestCase& c) { c.tensors[t].present = false; });
    }
    add([](TestCase& c) { c.calls = 0; });
    add([](TestCase& c) { c.order = 0; });
    for (std::size_t i = 0; i < kMaxScalars; ++i) add([i](TestCase& c) { c.scalars[i] = 0; });
  }

  // One slice instead of all: the one of the wrong element, which becomes the first and keeps its contents. Smaller dims alone keep the first
  // slices, where the error may be another or none.
  void slices(const Spot& wrong) {
    if (wrong.tensor < 0) return;
    std::vector<std::pair<std::size_t, std::uint32_t>> named;  // dims of the element's index
    const std::vector<int>& shape = s_.tensors[static_cast<std::size_t>(wrong.tensor)].shape;
    for (std::size_t i = 0; i < std::min(shape.size(), wrong.at.size()); ++i) {
      const auto d = static_cast<std::size_t>(shape[i]);
      if (shape[i] < 0 || s_.dims[d].derive || from_.dims[d] <= slice_extent(d) || wrong.at[i] >= from_.dims[d])
        continue;
      named.emplace_back(d, wrong.at[i]);
    }
    const auto take = [&](std::size_t begin, std::size_t end) {
      add([&](TestCase& c) {
        for (std::size_t k = begin; k < end; ++k) keep_slice(c, named[k].first, named[k].second);
      });
    };
    if (named.empty()) return;
    take(0, named.size());
    take(0, named.size() - 1);  // a row is often computed as one
    for (std::size_t k = 0; k < named.size(); ++k) take(k, k + 1);
  }
  std::uint32_t slice_extent(std::size_t dim) const { return std::max(1u, smallest_dim(s_.dims[dim])); }
  void keep_slice(TestCase& c, std::size_t dim, std::uint32_t at) const {
    const std::uint32_t extent = slice_extent(dim), whole = c.dims[dim], step = std::max(1u, s_.dims[dim].multiple_of);
    const std::uint32_t first = std::min(at / step * step, whole - extent);
    c.dims[dim] = extent;
    c.from[dim] = static_cast<std::uint16_t>(c.from[dim] + first);
    std::erase_if(c.overrides, [&](Override& o) { return !moves_along(c, o, dim, whole, first, extent); });
  }
  // False where the override lies outside of the slice first .. first + extent of a dim that was `whole`.
  bool moves_along(const TestCase& c, Override& o, std::size_t dim, std::uint32_t whole, std::uint32_t first,
                   std::uint32_t extent) const {
    const std::vector<int>& shape = s_.tensors[o.tensor].shape;
    const std::size_t rank = shape.size(), skip = rank > 4 ? rank - 4 : 0;
    for (std::size_t i = skip; i < rank; ++i) {
      const bool no_matter =
          (i + 1 == rank && (o.flags & wire::kWholeRow)) || (i == 0 && c.tensors[o.tensor].layout == Layout::stride0);
      if (shape[i] != static_cast<int>(dim) || no_matter) continue;
      const bool from_end = o.flags >> (i - skip) & 1;
      const std::uint32_t at = from_end ? whole - 1 - o.at[i - skip] : o.at[i - skip];
      if (at < first || at >= first + extent) return false;
      o.at[i - skip] = static_cast<std::uint16_t>(from_end ? first + extent - 1 - at : at - first);
    }
    return true;
  }

  // Table entries from the smallest, then steps towards what is known to fail, the last of them one down.
  static std::vector<std::uint32_t> smaller(std::uint32_t v) {
    std::vector<std::uint32_t> steps{0};
    for (std::uint16_t b : boundary_table())
      if (b < v) steps.push_back(b);
    std::sort(steps.begin(), steps.end());
    for (std::uint32_t step = v / 2; step >= 1; step /= 2) steps.push_back(v - step);
    for (std::uint32_t odd : {3u, 5u, 7u})  // a failure may need a remainder
      for (std::uint32_t step = odd; step < v; step *= 2) steps.push_back(v - step);
    return steps;
  }

  void dims() {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < s_.dims.size(); ++i)
      if (!s_.dims[i].derive && from_.dims[i] > smallest_dim(s_.dims[i])) free.push_back(i);
    if (free.empty()) return;
    if (free.size() > 1)
      add([&](TestCase& c) {
        for (std::size_t i : free) c.dims[i] = 1;
      });
    std::sort(free.begin(), free.end(), [&](std::size_t a, std::size_t b) { return from_.dims[a] > from_.dims[b]; });
    for (std::size_t i : free)
      for (std::uint32_t v : smaller(from_.dims[i])) set_dim(i, v);
    // Dims that are equal may have to stay so, and a constraint may tie two others: move them together.
    for (std::size_t k = 0; k + 1 < free.size(); ++k) {
      const std::uint32_t v = from_.dims[free[k]];
      if (from_.dims[free[k + 1]] != v || (k > 0 && from_.dims[free[k - 1]] == v)) continue;
      for (std::uint32_t w : smaller(v))
        add([&](TestCase& c) {
          for (std::size_t i : free)
            if (from_.dims[i] == v) c.dims[i] = w;
        });
    }
    if (free.size() > 1)
      for (std::uint32_t part : {2u, 4u, 8u})
        add([&](TestCase& c) {
          for (std::size_t i : free) c.dims[i] -= c.dims[i] / part;
        });
    for (std::size_t i : free)
      for (std::size_t k : free)
        if (i < k)
          add([&](TestCase& c) {
            --c.dims[i];
            --c.dims[k];
          });
  }
  void set_dim(std::size_t i, std::uint32_t v) {
    const std::uint32_t m = std::max(1u, s_.dims[i].multiple_of), now = from_.dims[i];
    if (v + m > now && v < now) v = now - m;  // less than a whole step would round back to where it was
    add([&](TestCase& c) { c.dims[i] = v; });
  }

  void fills() {
    for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
      const TensorRecipe& r = from_.tensors[t];
      add([t](TestCase& c) { c.tensors[t].fill = c.tensors[t].amp = c.tensors[t].param = c.tensors[t].rate = 0; });
      for (std::uint8_t f = 0; f < r.fill; ++f) {
        add([&](TestCase& c) { c.tensors[t].fill = f; });
        if (r.param != 0)
          add([&](TestCase& c) {
            c.tensors[t].fill = f;
            c.tensors[t].param = 0;
          });
      }
    }
    for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
      add([t](TestCase& c) { c.tensors[t].amp = 0; });
      if (from_.tensors[t].amp > 1) add([t](TestCase& c) { --c.tensors[t].amp; });
      add([t](TestCase& c) { c.tensors[t].rate = 0; });
      add([t](TestCase& c) { c.tensors[t].param = 0; });
      if (from_.tensors[t].param > 1) add([t](TestCase& c) { --c.tensors[t].param; });
    }
    add([](TestCase& c) {
      for (TensorRecipe& r : c.tensors) r.seed = 0;
    });
    for (std::size_t t = 0; t < s_.tensors.size(); ++t) {
      add([t](TestCase& c) { c.tensors[t].seed = 0; });
      for (std::uint32_t seed = 1; seed < 4; ++seed)
        if (from_.tensors[t].seed > seed) add([&](TestCase& c) { c.tensors[t].seed = seed; });
    }
    add([](TestCase& c) { c.from = {}; });
    for (std::size_t i = 0; i < s_.dims.size(); ++i) add([i](TestCase& c) { c.from[i] = 0; });
    const std::size_t tail = from_.tail.size();
    if (tail == 0) return;
    add([](TestCase& c) { c.tail.clear(); });
    add([&](TestCase& c) {
      c.tail.erase(c.tail.begin(), c.tail.begin() + static_cast<std::ptrdiff_t>((tail + 1) / 2));
    });
    add([](TestCase& c) { c.tail.erase(c.tail.begin()); });
  }

  void dtype() {
    for (std::size_t d = 0; d < s_.dtypes.size(); ++d)
      add([d](TestCase& c) { c.dtype = static_cast<std::uint8_t>(d); });
  }

  void override_details() {
    for (std::size_t i = 0; i < from_.overrides.size(); ++i) {
      add([i](TestCase& c) {
        c.overrides[i].at = {};
        c.overrides[i].flags &= wire::kNegate | wire::kWholeRow;
      });
      add([i](TestCase& c) { c.overrides[i].flags &= static_cast<std::uint8_t>(~wire::kFromEnd); });
      for (std::size_t k = 0; k < 4; ++k) {
        if (from_.overrides[i].at[k] == 0) continue;
        add([i, k](TestCase& c) { c.overrides[i].at[k] = 0; });
        add([i, k](TestCase& c) { c.overrides[i].at[k] /= 2; });
        add([i, k](TestCase& c) { --c.overrides[i].at[k]; });
      }
      add([i](TestCase& c) { c.overrides[i].flags &= static_cast<std::uint8_t>(~wire::kWholeRow); });
      add([i](TestCase& c) { c.overrides[i].flags &= static_cast<std::uint8_t>(~wire::kNegate); });
      add([i](TestCase& c) { c.overrides[i].value = 0x3c00; });  // 1
    }
  }

  std::vector<TestCase> take() { return std::move(out_); }

 private:
  const Schema& s_;
  TestCase from_;
  std::uint64_t from_measure_ = 0;
  std::vector<TestCase> out_;
};

}  // namespace

std::vector<TestCase> shrink_candidates(const Schema& s, const TestCase& c, const Spot& wrong) {
  Candidates k(s, c);
  k.whole_numbers();
  k.overrides();
  k.specials();
  k.flags_layouts_calls();
  k.slices(wrong);
  k.dims();
  k.fills();
  k.dtype();
  k.override_details();
  k.few_ordinary_numbers();
  return k.take();
}

std::uint64_t complexity(const Schema& s, const TestCase& given) {
  TestCase c = given;
  repair(s, c);
  return measure(s, c, encode(s, c));
}

}  // namespace warpfuzz
