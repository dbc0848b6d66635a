// Contents of a whole tensor: rows, rounding, specials at a rate, overrides.
#include "schema/fill/fill.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/round.h"
#include "schema/codec/byte_tables.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fill/row_fill.h"

namespace warpfuzz {
namespace {

constexpr std::uint64_t kSecondCall = 0x5ec0d5a1ull, kSpecials = 0x5bec1a15ull;

// All-ones exponents would be Inf or NaN, which only overrides and rates may give: one exponent bit is flipped. In the narrow
// range the highest one is, where the value would lie beyond it.
std::vector<float> tail_elements(const TestCase& c, DType t, bool narrow) {
  const std::size_t size = dtype_size(t);
  std::vector<float> out;
  if (!info(t).floating || size > 4) return out;
  for (std::size_t end = c.tail.size(); end > 0 && out.size() < wire::kTailElements;) {
    const std::size_t begin = end > size ? end - size : 0;
    std::uint32_t bits = 0;
    for (std::size_t i = end; i-- > begin;) bits = bits << 8 | c.tail[i];
    bits <<= 8 * (size - (end - begin));  // a partial element keeps its high bytes
    if (t == DType::f16)
      out.push_back(f16_value(static_cast<std::uint16_t>((bits & 0x7c00) == 0x7c00 ? bits ^ 0x400 : bits)));
    else if (t == DType::bf16)
      out.push_back(bf16_value(static_cast<std::uint16_t>((bits & 0x7f80) == 0x7f80 ? bits ^ 0x80 : bits)));
    else out.push_back(std::bit_cast<float>((bits & 0x7f800000u) == 0x7f800000u ? bits ^ 0x800000u : bits));
    if (narrow && std::fabs(out.back()) >= std::ldexp(2.0f, kNarrowTop)) out.back() = std::ldexp(out.back(), -128);
    end = begin;
  }
  return out;
}

// 2^top * n stays below the square root of FLT_MAX for the longest dim that the schema allows. The case's own dims
// must not matter here.
int log_uniform_top(const Schema& s, const TensorSpec& t, DType dtype) {
  if (dtype == DType::f16) return 15;
  std::uint32_t longest = 1;
  for (int e : t.shape)
    longest = std::max(longest, e < 0 ? static_cast<std::uint32_t>(-e) : s.dims[static_cast<std::size_t>(e)].max);
  return 63 - std::bit_width(longest);
}

double override_value(const Schema& s, const TestCase& c, int tensor, const Override& o, DType t) {
  const bool negate = o.flags & wire::kNegate;
  const std::uint16_t v = o.value & wire::kMagnitude;
  double x = o.value & wire::kSpecial ? special_value(v % kSpecialCount, t) : f16_value(v);
  x = negate ? -x : x;
  if (info(t).floating) return std::isnan(x) ? special_value(10, DType::f32) : round_to(t, x);
  const TensorSpec& spec = s.tensors[static_cast<std::size_t>(tensor)];
  x = round_to(t, x);
  if (spec.out_of_range || spec.index_dim < 0) return x;
  const double bound = c.dims[static_cast<std::size_t>(spec.index_dim)];
  return std::clamp(x, 0.0, std::max(0.0, bound - 1));
}

struct Shape {
  std::vector<std::uint32_t> outer, outer_from;  // all dims but the last, and the coordinates that they begin at
  std::uint32_t row = 1, row_from = 0;
  std::size_t rows = 1;
};

// Walks the rows in order and keeps the hash of (seed, tensor, coordinates so far) per level.
class RowWalk {
 public:
  RowWalk(const Shape& shape, std::uint64_t key)
      : shape_(shape), at_(shape.outer_from), keys_(shape.outer.size() + 1, key) {
    rekey(0);
  }
  std::uint64_t key() const { return keys_.back(); }
  std::span<const std::uint32_t> at() const { return at_; }
  void next() {
    for (std::size_t i = at_.size(); i-- > 0;) {
      if (++at_[i] < shape_.outer_from[i] + shape_.outer[i]) return rekey(i);
      at_[i] = shape_.outer_from[i];
    }
  }

 private:
  void rekey(std::size_t from) {
    for (std::size_t i = from; i < at_.size(); ++i)
      keys_[i + 1] = mix64(keys_[i] ^ (std::uint64_t{at_[i]} << 32 | (i + 1)));
  }
  const Shape& shape_;
  std::vector<std::uint32_t> at_;
  std::vector<std::uint64_t> keys_;
};

void fill_rows(const RowFill& fill, const Shape& shape, std::vector<float>& out) {
  constexpr std::size_t kChunk = 4096;  // rounded while it is still in the nearest cache
  std::size_t done = 0, at = 0;
  RowWalk walk(shape, fill.tensor_key);
  for (std::size_t r = 0; r < shape.rows; ++r, walk.next()) {
    fill.row(walk.key(), walk.at(), shape.row, out.data() + at);
    at += shape.row;
    if (at - done >= kChunk || r + 1 == shape.rows) {
      round_finite(fill.dtype, out.data() + done, at - done);
      done = at;
    }
  }
}

// Where an op has nothing to say about huge values, fills keep away from them: their exponents come down to the 16 below.
void keep_below(int top, std::vector<float>& out) {
  const float limit = std::ldexp(1.0f, top + 1);
  for (float& x : out) {
    if (std::fabs(x) < limit) continue;
    const int above = std::ilogb(x) - top;
    x = std::ldexp(x, -above - (above - 1) % 16);
  }
}

void sprinkle_specials(int rate, const RowFill& fill, const Shape& shape, std::vector<float>& out) {
  float values[kSpecialCount];
  for (int i = 0; i < kSpecialCount; ++i) values[i] = static_cast<float>(special_value(i, fill.dtype));
  RowWalk walk(shape, mix64(fill.tensor_key ^ kSpecials));
  float* p = out.data();
  for (std::size_t r = 0; r < shape.rows; ++r, walk.next())
    for (std::uint32_t c = 0; c < shape.row; ++c, ++p) {
      const std::uint64_t h = element_hash(walk.key(), shape.row_from + c);
      if (static_cast<int>(h & 0xff) < rate) *p = values[(h >> 32) * kSpecialCount >> 32];
    }
}

void apply_override(const Schema& s, const TestCase& c, int tensor, const Override& o, const Shape& shape,
                    std::vector<float>& out) {
  const TensorSpec& spec = s.tensors[static_cast<std::size_t>(tensor)];
  const std::size_t rank = spec.shape.size(), skip = rank > 4 ? rank - 4 : 0;
  const bool row = o.flags & wire::kWholeRow;
  std::size_t at = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::uint32_t n = i + 1 == rank ? shape.row : shape.outer[i];
    std::uint32_t x = 0;
    if (i >= skip && !(row && i + 1 == rank)) {
      x = o.at[i - skip] % n;
      if (o.flags >> (i - skip) & 1) x = n - 1 - x;
    }
    if (i == 0 && c.tensors[static_cast<std::size_t>(tensor)].layout == Layout::stride0) x = 0;
    at = at * n + x;
  }
  const auto value = static_cast<float>(override_value(s, c, tensor, o, tensor_dtype(s, c, tensor)));
  std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), row ? shape.row : 1, value);
}

}  // namespace

void fill_values(const Schema& s, const TestCase& c, int tensor, int call, std::vector<float>& out) {
  const auto t = static_cast<std::size_t>(tensor);
  const TensorSpec& spec = s.tensors[t];
  const TensorRecipe& recipe = c.tensors[t];
  Shape shape;
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    const std::uint32_t n = extent(c.dims, spec.shape[i]),
                        from = spec.shape[i] < 0 ? 0 : c.from[static_cast<std::size_t>(spec.shape[i])];
    if (i + 1 == spec.shape.size()) {
      shape.row = n;
      shape.row_from = from;
    } else {
      shape.outer.push_back(n);
      shape.outer_from.push_back(from);
    }
  }
  for (std::uint32_t n : shape.outer) shape.rows *= n;
  if (recipe.layout == Layout::stride0 && !shape.outer.empty()) shape.outer_from[0] = 0;  // all are the first one
  const std::size_t elements = shape.rows * shape.row;
  out.resize(elements);
  if (elements == 0) return;

  // With stride 0 all outermost slices are one: fill the first, then repeat it.
  const std::size_t copies = recipe.layout == Layout::stride0 && !shape.outer.empty() ? shape.outer[0] : 1;
  Shape first = shape;
  if (copies > 1) {
    first.outer[0] = 1;
    first.rows /= copies;
  }

  RowFill fill;
  fill.fill = fill_of(s, tensor, recipe.fill);
  fill.dtype = tensor_dtype(s, c, tensor);
  fill.param = recipe.param;
  fill.call = call;
  fill.from = shape.row_from;
  fill.scale = std::ldexp(1.0f, amp_exponent(recipe.amp));
  fill.tensor_key = mix64((std::uint64_t{recipe.seed} << 8 | t) ^ (call ? kSecondCall << 40 : 0));
  const bool narrow = fill.dtype != DType::f16 && recipe.param % kRangeCount != 0;
  if (fill.fill == Fill::log_uniform)
    fill.top_exponent = std::min({log_uniform_top(s, spec, fill.dtype), spec.top_exponent, narrow ? kNarrowTop : 63});
  fill.narrow = narrow;
  if (fill.fill == Fill::raw_tail) fill.tail = tail_elements(c, fill.dtype, narrow);
  if (spec.index_dim >= 0) fill.bound = c.dims[static_cast<std::size_t>(spec.index_dim)];

  fill_rows(fill, first, out);
  if (spec.top_exponent < 127) keep_below(spec.top_exponent, out);
  if (const int rate = rate_of(recipe.rate); rate > 0) sprinkle_specials(rate, fill, first, out);
  if (call == 0)
    for (const Override& o : c.overrides)
      if (o.tensor == t) apply_override(s, c, tensor, o, shape, out);
  const std::size_t slice = elements / copies;
  for (std::size_t i = 1; i < copies; ++i)
    std::copy_n(out.begin(), slice, out.begin() + static_cast<std::ptrdiff_t>(i * slice));
}

}  // namespace warpfuzz
