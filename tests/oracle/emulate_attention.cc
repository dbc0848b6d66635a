// Attention in the forms that kernels use: three passes over a row of scores, or online over tiles of keys.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emulate.h"
#include "numeric/round.h"
#include "numeric/sum_bound.h"

namespace warpfuzz::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kLog2E = 1.44269504f;

float to_tf32(float x) {  // to nearest even at 11 bits
  if (!std::isfinite(x) || x == 0) return x;
  auto b = std::bit_cast<std::uint32_t>(x);
  b = (b + 0xfffu + (b >> 13 & 1)) & ~0x1fffu;
  return std::bit_cast<float>(b);
}

// One head's row: what every form starts from.
struct Row {
  const Problem& p;
  Attention form;
  const Order& order;
  const float *q, *k, *v;
  std::size_t d, n, keys;
  float scale;

  float round16(float x) const { return static_cast<float>(round_to(p.in_type() == f32 ? f16 : p.in_type(), x)); }

  template <class A, class B>
  float product(std::size_t count, A a, B b) const {
    if (form == Attention::tensor_core) return on_tensor_cores(count, a, b);
    return reduce(count, order, [&](float s, std::size_t e) {
      const float x = form == Attention::tf32 ? to_tf32(a(e)) : a(e),
                  y = form == Attention::tf32 ? to_tf32(b(e)) : b(e);
      return order.fma ? std::fma(x, y, s) : s + x * y;
    });
  }
  template <class A, class B>
  float on_tensor_cores(std::size_t count, A a, B b) const {
    double acc = 0;
    const int emin = info(p.in_type()).emin;
    for (std::size_t first = 0; first < count; first += 16) {
      detail::AlignedProduct t[16];
      int terms = 0;
      double plain = acc;
      for (std::size_t e = first; e < std::min(count, first + 16); ++e) {
        const double x = a(e), y = b(e);
        plain += x * y;
        t[terms++] = {x * y, std::max(detail::binary_exponent(x), emin) + std::max(detail::binary_exponent(y), emin)};
      }
      acc = std::isfinite(plain) ? detail::tensor_core_block(t, terms, acc) : plain;
    }
    return static_cast<float>(acc);
  }

  float dot(std::size_t j, float factor = 1) const {
    return product(d, [&](std::size_t e) { return q[e] * factor; }, [&](std::size_t e) { return k[j * d + e]; });
  }
  float score(std::size_t j) const {
    switch (form) {
      case Attention::scale_first: return dot(j, scale);
      case Attention::exp2_prescaled: return dot(j) * (scale * kLog2E);
      case Attention::exp2_fma: return dot(j);
      case Attention::s_cast: return round16(dot(j)) * scale;
      default: return dot(j) * scale;
    }
  }
  float exp(float s, float max) const {
    if (form == Attention::exp2_prescaled) return std::exp2(s - max);
    if (form == Attention::exp2_fma) return std::exp2(std::fma(s, scale * kLog2E, -(max * (scale * kLog2E))));
    return std::exp(s - max);
  }
  bool casts_p() const { return form == Attention::p_cast || form == Attention::tensor_core; }
  float value(std::size_t j, std::size_t e) const { return v[j * d + e]; }

  void three_passes(float* out) const {
    const std::size_t count = form == Attention::additive_mask ? n : keys;
    Values s(count);
    float max = -kInf;
    for (std::size_t j = 0; j < count; ++j) max = std::fmax(max, s[j] = score(j) + (j < keys ? 0 : -kInf));
    for (float& x : s) x = exp(x, max);
    const float l = reduce(count, order, [&](float a, std::size_t j) { return a + s[j]; });
    if (form == Attention::normalised_first)
      for (float& x : s) x /= l;
    if (casts_p())
      for (float& x : s) x = round16(x);
    for (std::size_t e = 0; e < d; ++e) {
      out[e] = product(count, [&](std::size_t j) { return s[j]; }, [&](std::size_t j) { return value(j, e); });
      if (form != Attention::normalised_first) out[e] /= l;
    }
  }

  // The first pass and the normalisation as usual, the sum over keys in four parts that pass through 16-bit memory.
  void parts_in_16_bits(float* out) const {
    Values s(keys);
    float max = -kInf, l = 0;
    for (std::size_t j = 0; j < keys; ++j) max = std::fmax(max, s[j] = score(j));
    for (float& x : s) l += x = exp(x, max);
    for (std::size_t e = 0; e < d; ++e) {
      float sum = 0;
      for (std::size_t part = 0; part < 4; ++part) {
        float t = 0;
        for (std::size_t j = keys * part / 4; j < keys * (part + 1) / 4; ++j) t += s[j] / l * value(j, e);
        sum += static_cast<float>(round_to(p.out_type(), t));
      }
      out[e] = sum;
    }
  }

  // Running maximum, sum and accumulators over tiles of keys.
  struct Running {
    float max = -kInf, l = 0;
    Values acc;
  };
  Running over_tiles(std::size_t begin, std::size_t end, std::size_t width) const {
    Running r{-kInf, 0, Values(d, 0)};
    for (std::size_t first = begin; first < end; first += width) {
      const std::size_t last = std::min(end, first + width);
      Values s(last - first);
      float max = r.max;
      for (std::size_t j = first; j < last; ++j) max = std::fmax(max, s[j - first] = score(j));
      const float rescale = r.max == -kInf ? 0 : exp(r.max, max);
      float part = 0;
      for (float& x : s) part += x = exp(x, max);
      r.l = r.l * rescale + part;
      if (casts_p())
        for (float& x : s) x = round16(x);
      for (std::size_t e = 0; e < d; ++e) {
        if (form != Attention::no_rescale) r.acc[e] *= rescale;
        r.acc[e] +=
            product(s.size(), [&](std::size_t j) { return s[j]; }, [&](std::size_t j) { return value(first + j, e); });
      }
      r.max = max;
    }
    return r;
  }
  void online(float* out, std::size_t width) const {
    const Running r = over_tiles(0, keys, width);
    for (std::size_t e = 0; e < d; ++e) out[e] = r.acc[e] / r.l;
  }
  void split(float* out) const {
    std::vector<Running> parts;
    float max = -kInf, l = 0;
    for (std::size_t part = 0; part < 3; ++part) {
      const std::size_t begin = keys * part / 3, end = keys * (part + 1) / 3;
      if (begin == end) continue;
      parts.push_back(over_tiles(begin, end, 16));
      max = std::fmax(max, parts.back().max);
    }
    std::fill_n(out, d, 0.0f);
    for (const Running& r : parts) {
      const float rescale = exp(r.max, max);
      l += r.l * rescale;
      for (std::size_t e = 0; e < d; ++e) out[e] += r.acc[e] * rescale;
    }
    for (std::size_t e = 0; e < d; ++e) out[e] /= l;
  }
};

}  // namespace

Values attention(const Problem& p, Attention form, const Order& order) {
  const std::size_t b = p.dim("B"), m = p.dim("M"), n = p.dim("N"), d = p.dim("D");
  const bool causal = p.test_case.flag(p.schema().flag_index("causal"));
  const float scale = form == Attention::no_scale    ? 1
                      : form == Attention::inverse_d ? 1 / static_cast<float>(d)
                                                     : 1 / std::sqrt(static_cast<float>(d));
  Values o(b * m * d);
  for (std::size_t head = 0; head < b; ++head)
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t seen = form == Attention::sees_next ? i + 2 : i + 1;
      const std::size_t first = (head * m + i) * d;
      const Row row{p,
                    form,
                    order,
                    p["q"].data() + first,
                    p["k"].data() + head * n * d,
                    p["v"].data() + head * n * d,
                    d,
                    n,
                    causal ? std::min(n, seen) : n,
                    scale};
      float* out = o.data() + first;
      if (form == Attention::online) row.online(out, 1);
      else if (form == Attention::flash || form == Attention::no_rescale || form == Attention::p_cast)
        row.online(out, 32);
      else if (form == Attention::split_keys) row.split(out);
      else if (form == Attention::split_keys_16) row.parts_in_16_bits(out);
      else row.three_passes(out);
    }
  return o;
}

}  // namespace warpfuzz::test
