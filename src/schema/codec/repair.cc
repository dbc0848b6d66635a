// repair(): the last step of decoding, which leaves exactly one representation of every meaning.
#include <algorithm>
#include <tuple>

#include "schema/codec/byte_tables.h"
#include "schema/codec/codec.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

bool fillable(const TensorSpec& t) { return t.role == Role::in || t.role == Role::inout; }

Layout allowed_layout(const TensorSpec& t, Layout l) {
  const bool ok = l == Layout::contiguous || (l == Layout::offset && t.layouts.offset) ||
                  (l == Layout::padded && t.layouts.padded && t.shape.size() >= 2) ||
                  (l == Layout::stride0 && t.layouts.stride0 && t.role == Role::in && t.shape.size() >= 2);
  return ok ? l : Layout::contiguous;
}

void repair_recipe(const Schema& s, const TestCase& c, int tensor, TensorRecipe& r) {
  const TensorSpec& t = s.tensors[static_cast<std::size_t>(tensor)];
  if (t.optional && !r.present) {
    r = TensorRecipe{};
    r.present = false;
    return;
  }
  TensorRecipe out;
  out.layout = allowed_layout(t, r.layout);
  if (fillable(t)) {
    const DType dtype = tensor_dtype(s, c, tensor);
    const Fill f = fill_of(s, tensor, r.fill);
    if (f == Fill::index) r.param = index_param(r.param, t.out_of_range);
    const FillTraits traits = fill_traits(f, r.param, dtype);
    out.fill = fill_byte(f);
    out.amp = traits.amp && info(dtype).floating ? amp_byte(amp_exponent(r.amp)) : 0;
    out.param = static_cast<std::uint8_t>(r.param % traits.params);
    out.rate = info(dtype).floating ? rate_byte(rate_of(r.rate)) : 0;
    out.seed = traits.seed || out.rate != 0 ? r.seed : 0;
  }
  r = out;
}

// Whether a fill gives a dim's slices contents that follow from their coordinates; without, it doesn't matter where they begin.
bool follows_coordinates(const Schema& s, const TestCase& c, std::size_t dim) {
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const TensorSpec& spec = s.tensors[t];
    const TensorRecipe& r = c.tensors[t];
    if (!fillable(spec) || !r.present) continue;
    const Fill f = fill_of(s, static_cast<int>(t), r.fill);
    const bool everywhere = r.rate != 0 || f == Fill::iota || f == Fill::raw_tail ||
                            fill_traits(f, r.param, tensor_dtype(s, c, static_cast<int>(t))).seed;
    const bool along_rows = everywhere || f == Fill::alternating || f == Fill::index;
    for (std::size_t i = 0; i < spec.shape.size(); ++i) {
      if (spec.shape[i] != static_cast<int>(dim) || (i == 0 && r.layout == Layout::stride0)) continue;
      if (i + 1 == spec.shape.size() ? along_rows : everywhere) return true;
    }
  }
  return false;
}

void repair_from(const Schema& s, TestCase& c) {
  for (std::size_t i = 0; i < kMaxDims; ++i) {
    if (c.from[i] == 0) continue;
    if (i >= s.dims.size() || s.dims[i].derive || !follows_coordinates(s, c, i)) c.from[i] = 0;
    else c.from[i] = static_cast<std::uint16_t>(c.from[i] % (largest_from(s.dims[i], c.dims[i]) + 1));
  }
}

// Values that have two spellings keep one: fp16 bits for numbers, the table for what fp16 cannot say in every dtype.
void normalise_value(Override& o) {
  std::uint16_t v = o.value & wire::kMagnitude;
  if (!(o.value & wire::kSpecial)) {
    if (v == 0) o.value = wire::kSpecial | 0;
    else if (v == 0x7c00) o.value = wire::kSpecial | 8;
    else if (v > 0x7c00) o.value = wire::kSpecial | 10;
    if (!(o.value & wire::kSpecial)) return;
    v = o.value & wire::kMagnitude;
  }
  v %= kSpecialCount;
  const bool paired = v < 10 || v == 12 || v == 13;
  if (paired && (o.flags & wire::kNegate)) {
    v ^= 1;
    o.flags &= static_cast<std::uint8_t>(~wire::kNegate);
  }
  if (v == 10) o.flags &= static_cast<std::uint8_t>(~wire::kNegate);
  o.value = static_cast<std::uint16_t>(wire::kSpecial | v);
  if (v == 11) o.value = 0x70e2;             // 1e4
  if (v == 12 || v == 13) o.value = 0x3c00;  // 1
  if (v == 13) o.flags |= wire::kNegate;
}

// False when the override has nothing to act on.
bool repair_override(const Schema& s, const TestCase& c, std::span<const std::uint8_t> fillables, Override& o) {
  if (fillables.empty()) return false;
  if (o.tensor >= s.tensors.size() || !fillable(s.tensors[o.tensor])) o.tensor = fillables[o.tensor % fillables.size()];
  if (!c.tensors[o.tensor].present) return false;
  const TensorSpec& t = s.tensors[o.tensor];
  const std::size_t rank = t.shape.size(), skip = rank > 4 ? rank - 4 : 0, shown = rank - skip;
  const bool row = (o.flags & wire::kWholeRow) && rank > 0;
  std::uint8_t flags = o.flags & wire::kNegate;
  if (row) flags |= wire::kWholeRow;
  for (std::size_t i = 0; i < 4; ++i) {
    if (i >= shown) {
      o.at[i] = 0;
      continue;
    }
    const std::uint32_t n = extent(c.dims, t.shape[skip + i]);
    if (n == 0) return false;
    if (row && i + 1 == shown) {
      o.at[i] = 0;
      continue;
    }
    o.at[i] = static_cast<std::uint16_t>(o.at[i] % n);
    flags |= o.flags & (1u << i);
  }
  if (skip > 0 && tensor_elements(s, c.dims, o.tensor) == 0) return false;
  o.flags = flags;
  normalise_value(o);
  return true;
}

// Whole rows come before single elements, so that both can be had at once.
auto place_of(const Override& o) {
  return std::tuple(o.tensor, (o.flags & wire::kWholeRow) == 0, o.at, o.flags & wire::kFromEnd);
}

void repair_overrides(const Schema& s, TestCase& c) {
  if (c.overrides.empty()) return;
  std::array<std::uint8_t, kMaxTensors> ids{};
  std::size_t n = 0;
  for (std::size_t t = 0; t < s.tensors.size(); ++t)
    if (fillable(s.tensors[t])) ids[n++] = static_cast<std::uint8_t>(t);
  if (c.overrides.size() > wire::kMaxOverrides) c.overrides.resize(wire::kMaxOverrides);
  std::erase_if(c.overrides, [&](Override& o) { return !repair_override(s, c, {ids.data(), n}, o); });
  std::vector<Override> kept;
  kept.reserve(c.overrides.size());
  for (const Override& o : c.overrides) {
    const auto at = std::lower_bound(kept.begin(), kept.end(), o,
                                     [](const Override& a, const Override& b) { return place_of(a) < place_of(b); });
    if (at != kept.end() && place_of(*at) == place_of(o)) *at = o;  // the last one wins
    else kept.insert(at, o);
  }
  c.overrides = std::move(kept);
}

void repair_tail(const Schema& s, TestCase& c) {
  if (c.tail.empty() && c.overrides.empty()) return;
  const std::size_t capacity = wire::tail_capacity(s, c);
  if (c.tail.size() > capacity) c.tail.erase(c.tail.begin(), c.tail.end() - static_cast<std::ptrdiff_t>(capacity));
  while (!c.tail.empty() && c.tail.back() == 0) c.tail.pop_back();  // the end of the bytes is never a zero
  const auto first = std::find_if(c.tail.begin(), c.tail.end(), [](std::uint8_t b) { return b != 0; });
  c.tail.erase(c.tail.begin(), first);
  // Without a last byte that is not zero, the overrides themselves would be read as the tail.
  if (capacity > 0 && c.tail.empty() && !c.overrides.empty()) c.tail.push_back(1);
}

}  // namespace

std::size_t wire::tail_capacity(const Schema& s, const TestCase& c) {
  std::size_t bytes = 0;
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const int id = static_cast<int>(t);
    if (!fillable(s.tensors[t]) || !c.tensors[t].present || fill_of(s, id, c.tensors[t].fill) != Fill::raw_tail)
      continue;
    bytes = std::max(bytes, dtype_size(tensor_dtype(s, c, id)) * kTailElements);
  }
  return bytes;
}

void repair(const Schema& s, TestCase& c) {
  c.version = wire::kVersion;
  c.dtype = s.dtypes.empty() ? 0 : static_cast<std::uint8_t>(c.dtype % s.dtypes.size());
  c.flags &= static_cast<std::uint8_t>((1u << s.flags.size()) - 1);
  c.calls = s.second_call ? c.calls & 1 : 0;
  for (std::size_t i = 0; i < kMaxScalars; ++i) {
    if (i >= s.scalars.size() || s.scalars[i].values.empty()) {
      c.scalars[i] = 0;
      continue;
    }
    const std::vector<double>& values = s.scalars[i].values;
    c.scalars[i] = static_cast<std::uint8_t>(c.scalars[i] % values.size());
    c.scalars[i] =
        static_cast<std::uint8_t>(std::find(values.begin(), values.end(), values[c.scalars[i]]) - values.begin());
  }
  fit_dims(s, c.dims);
  for (std::size_t t = 0; t < kMaxTensors; ++t) {
    if (t < s.tensors.size()) repair_recipe(s, c, static_cast<int>(t), c.tensors[t]);
    else c.tensors[t] = TensorRecipe{};
  }
  repair_from(s, c);
  repair_overrides(s, c);
  repair_tail(s, c);
}

}  // namespace warpfuzz
