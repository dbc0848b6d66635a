// The fills. Integer arithmetic, exact scaling and single IEEE operations only: the same bits on every machine.
#include "schema/fill/row_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "schema/codec/byte_tables.h"

namespace warpfuzz {
namespace {

// sqrt(3) / 2^16 to ten bits: the sum of four 16-bit uniforms has the deviation 2^16 / sqrt(3).
constexpr float kNormalScale = 0x1.bb8p-16f;

inline float normal_of(std::uint64_t h) {
  const std::uint64_t pairs = (h & 0x0000ffff0000ffffull) + (h >> 16 & 0x0000ffff0000ffffull);
  const auto sum =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(pairs) + static_cast<std::uint32_t>(pairs >> 32));
  return static_cast<float>(sum - 2 * 0xffff) * kNormalScale;
}
inline float with_sign(std::uint32_t magnitude_bits, std::uint64_t h) {
  return std::bit_cast<float>(magnitude_bits | static_cast<std::uint32_t>(h >> 63) << 31);
}
inline std::uint32_t scaled(std::uint64_t h, std::uint32_t n) {
  return static_cast<std::uint32_t>((h >> 32) * n >> 32);
}

// The elements of a row: coordinates from .. from + n.
struct Row {
  std::uint32_t from, n;
  float* out;
};

template <class F>
inline void each(const Row& row, F f) {
  const std::uint32_t from = row.from, n = row.n;
  float* const out = row.out;
  for (std::uint32_t c = 0; c < n; ++c) out[c] = f(from + c);
}

std::uint32_t outer_sum(std::span<const std::uint32_t> outer, std::uint32_t weight) {
  std::uint32_t sum = 0;
  for (std::uint32_t o : outer) sum = sum * weight + o;
  return sum;
}

void small_int(std::uint64_t key, int param, float scale, const Row& row) {
  static constexpr struct {
    std::uint32_t count;
    int low;
  } kRanges[4] = {{9, -4}, {9, 0}, {3, -1}, {33, -16}};
  const auto [count, low] = kRanges[param & 3];
  each(row, [=](std::uint32_t c) {
    return static_cast<float>(static_cast<int>(scaled(element_hash(key, c), count)) + low) * scale;
  });
}

// x, -x, y, -y, ...: some pairs are 1000 times larger, some leave a remainder of a thousandth.
void cancelling(std::uint64_t key, float scale, const Row& row) {
  each(row, [=](std::uint32_t c) {
    const std::uint64_t h = element_hash(key, c >> 1), more = mix64(h);
    const float x = normal_of(h) * ((more & 0xff) < 26 ? 1000.0f : 1.0f);
    const float partner = (more >> 8 & 0xff) < 51 ? -1.001f : -1.0f;
    return (c & 1 ? x * partner : x) * scale;
  });
}

void halves(std::uint64_t key, int param, float scale, const Row& row) {
  const auto value = [=](std::uint32_t c, bool negative) {
    const float m = std::fabs(normal_of(element_hash(key, c))) * scale;
    return negative ? -m : m;
  };
  if (param == 0) each(row, [=, middle = row.from + row.n / 2](std::uint32_t c) { return value(c, c >= middle); });
  else each(row, [=](std::uint32_t c) { return value(c, (c >> (param - 1) & 1) != 0); });
}

void sparse(std::uint64_t key, int param, float scale, const Row& row) {
  static constexpr std::uint32_t kShares[4] = {4096, 1024, 256, 16384};  // of 65536
  const std::uint32_t share = kShares[param & 3];
  each(row, [=](std::uint32_t c) {
    const std::uint64_t h = element_hash(key, c);
    return (mix64(h) & 0xffff) < share ? normal_of(h) * 8.0f * scale : 0.0f;
  });
}

void subnormal(std::uint64_t key, DType t, const Row& row) {
  if (t == DType::f16)
    each(row, [=](std::uint32_t c) {
      const std::uint64_t h = element_hash(key, c);
      return with_sign(std::bit_cast<std::uint32_t>(static_cast<float>(h & 0x3ff) * 0x1p-24f), h);
    });
  else
    each(row, [=, mask = t == DType::bf16 ? 0x7f0000u : 0x7fffffu](std::uint32_t c) {
      const std::uint64_t h = element_hash(key, c);
      return with_sign(static_cast<std::uint32_t>(h) & mask, h);
    });
}

void log_uniform(std::uint64_t key, DType t, int top, const Row& row) {
  const int low = t == DType::f16 ? -14 : -126;
  const auto count = static_cast<std::uint32_t>(top - low + 1);
  each(row, [=](std::uint32_t c) {
    const std::uint64_t h = element_hash(key, c);
    const std::uint32_t exponent = scaled(h << 1, count) + static_cast<std::uint32_t>(low + 127);
    return with_sign(exponent << 23 | (static_cast<std::uint32_t>(h) & 0x7fffff), h);
  });
}

void limits(std::uint64_t key, DType t, bool narrow, const Row& row) {
  const auto max = narrow ? 0x1p13f : static_cast<float>(info(t).max), small = static_cast<float>(info(t).min_normal);
  const float values[6] = {max, -max, small, -small, 1e4f, -1.0f};
  each(row, [&](std::uint32_t c) { return values[scaled(element_hash(key, c), 6)]; });
}

void indices(const RowFill& f, std::uint64_t key, const Row& row) {
  const auto bound = static_cast<std::uint32_t>(std::max<std::int64_t>(f.bound, 1));
  const std::uint32_t kinds = (f.param >> 2 & 31) + 1;
  switch (static_cast<IndexMode>(f.param & 3)) {
    case IndexMode::identity:
      each(row, [&](std::uint32_t c) { return static_cast<float>((c + static_cast<std::uint32_t>(f.call)) % bound); });
      break;
    case IndexMode::uniform:
      each(row, [&](std::uint32_t c) { return static_cast<float>(stable_below(element_hash(key, c), bound)); });
      break;
    case IndexMode::repeated:
      each(row, [&](std::uint32_t c) {
        return static_cast<float>(stable_below(mix64(f.tensor_key + scaled(element_hash(key, c), kinds)), bound));
      });
      break;
    case IndexMode::ends:
      each(row, [&](std::uint32_t c) { return element_hash(key, c) & 1 ? static_cast<float>(bound - 1) : 0.0f; });
      break;
  }
  if (!(f.param & 0x80)) return;
  for (std::uint32_t c = 0; c < row.n; ++c) {
    const std::uint64_t h = mix64(element_hash(key, row.from + c));
    if ((h & 7) == 0) row.out[c] = h & 8 ? -1.0f : static_cast<float>(bound);
  }
}

}  // namespace

void RowFill::row(std::uint64_t key, std::span<const std::uint32_t> outer, std::uint32_t n, float* out) const {
  const float s = scale;
  const Row row{from, n, out};
  const auto constant = [&](float v) { std::fill_n(out, n, v); };
  switch (fill) {
    case Fill::ones: return constant(call ? 2 * s : s);
    case Fill::constant: return constant(kConstants[(param + call) % kConstantCount] * s);
    case Fill::small_int: return small_int(key, param, s, row);
    case Fill::iota: {
      const float step = kSteps[param % kStepCount] * s;
      const std::uint32_t start = 64 * (outer_sum(outer, 3) & 15) + static_cast<std::uint32_t>(call);
      return each(row,
                  [=](std::uint32_t c) { return static_cast<float>(static_cast<std::int32_t>(start + c)) * step; });
    }
    case Fill::zeros:
      if (param < 2) return constant(param ? -0.0f : 0.0f);
      return each(row, [=](std::uint32_t c) { return (element_hash(key, c) & 0xff) < 77 ? -0.0f : 0.0f; });
    case Fill::normal: return each(row, [=](std::uint32_t c) { return normal_of(element_hash(key, c)) * s; });
    case Fill::uniform:
      if (param == 0)
        return each(row, [=](std::uint32_t c) {
          return (static_cast<float>(static_cast<std::int32_t>(element_hash(key, c) >> 40)) * 0x1p-23f - 1.0f) * s;
        });
      return each(row, [=](std::uint32_t c) {
        return static_cast<float>(static_cast<std::int32_t>(element_hash(key, c) >> 40)) * 0x1p-24f * s;
      });
    case Fill::offset_normal: {
      const float size = static_cast<float>(1u << (3 + param / 2 % offset_exponents(dtype)));
      const float offset = param & 1 ? -size : size;
      return each(row, [=](std::uint32_t c) { return (normal_of(element_hash(key, c)) + offset) * s; });
    }
    case Fill::alternating: {
      const float v = kConstants[param % kConstantCount] * (call ? -s : s);
      return each(row, [=](std::uint32_t c) { return c & 1 ? -v : v; });
    }
    case Fill::cancelling: return cancelling(key, s, row);
    case Fill::halves: return halves(key, param, s, row);
    case Fill::sparse: return sparse(key, param, s, row);
    case Fill::outlier: {
      each(row, [=](std::uint32_t c) { return normal_of(element_hash(key, c)) * s; });
      static constexpr float kSizes[4] = {1e4f, -1e4f, 0x1p10f, 0x1p20f};
      if (n > 0) out[param & 1 ? n - 1 : 0] = kSizes[param >> 1 & 3] * s;
      return;
    }
    case Fill::subnormal: return subnormal(key, dtype, row);
    case Fill::log_uniform: return log_uniform(key, dtype, top_exponent, row);
    case Fill::raw_tail: {
      if (tail.empty()) return constant(0.0f);
      const std::size_t count = tail.size();
      const std::size_t start = outer_sum(outer, 5) + static_cast<std::size_t>(call);
      return each(row, [&](std::uint32_t c) { return tail[(start + c) % count]; });
    }
    case Fill::limits: return limits(key, dtype, narrow, row);
    case Fill::one_hot:
      constant(0.0f);
      if (n > 0) out[stable_below(mix64(key), n)] = bound > 0 ? static_cast<float>(bound - 1) : s;
      return;
    case Fill::index: return indices(*this, key, row);
  }
}

void round_finite(DType t, float* values, std::size_t n) {
  if (t == DType::f16) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto u = std::bit_cast<std::uint32_t>(values[i]);
      const std::uint32_t sign = u & 0x80000000u, mag = u & 0x7fffffffu;
      const std::uint32_t normal = std::min((mag + 0xfffu + (mag >> 13 & 1)) & ~0x1fffu, 0x477fe000u);  // 65504
      const auto small = std::bit_cast<std::uint32_t>((std::bit_cast<float>(mag) + 0.5f) - 0.5f);
      values[i] = std::bit_cast<float>((mag < 0x38800000u ? small : normal) | sign);
    }
  } else if (t == DType::bf16) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto u = std::bit_cast<std::uint32_t>(values[i]);
      const std::uint32_t sign = u & 0x80000000u, mag = u & 0x7fffffffu;
      values[i] = std::bit_cast<float>(std::min((mag + 0x7fffu + (mag >> 16 & 1)) & 0xffff0000u, 0x7f7f0000u) | sign);
    }
  }
}

}  // namespace warpfuzz
