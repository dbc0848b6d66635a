#include "emulate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "numeric/sum_bound.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace warpfuzz::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

float tf32(float x) {  // to nearest even at 11 bits
  if (!std::isfinite(x) || x == 0) return x;
  std::uint32_t b;
  std::memcpy(&b, &x, 4);
  b = (b + 0xfffu + (b >> 13 & 1)) & ~0x1fffu;
  std::memcpy(&x, &b, 4);
  return x;
}
float pairwise(std::size_t first, std::size_t last, const std::function<float(float, std::size_t)>& term) {
  if (last - first <= 16) {
    float s = 0;
    for (std::size_t i = first; i < last; ++i) s = term(s, i);
    return s;
  }
  const std::size_t middle = (first + last) / 2;
  return pairwise(first, middle, term) + pairwise(middle, last, term);
}

}  // namespace

const std::vector<Order>& common_orders() {
  static const std::vector<Order> orders = {
      {Order::forward},  {Order::reverse, 0, true}, {Order::lanes, 32}, {Order::lanes, 256, true}, {Order::lanes, 4},
      {Order::pairwise}, {Order::blocks, 64, true}, {Order::shuffled},  {Order::lanes, 2, true},   {Order::lanes, 8}};
  return orders;
}

float reduce(std::size_t n, const Order& order, const std::function<float(float, std::size_t)>& term) {
  float s = 0;
  switch (order.kind) {
    case Order::forward:
      for (std::size_t i = 0; i < n; ++i) s = term(s, i);
      return s;
    case Order::reverse:
      for (std::size_t i = n; i-- > 0;) s = term(s, i);
      return s;
    case Order::lanes: {
      std::vector<float> part(order.width);
      for (std::size_t i = 0; i < n; ++i) part[i % order.width] = term(part[i % order.width], i);
      for (std::size_t w = order.width / 2; w > 0; w /= 2)
        for (std::size_t l = 0; l < w; ++l) part[l] += part[l + w];
      return part[0];
    }
    case Order::pairwise: return n ? pairwise(0, n, term) : 0;
    case Order::blocks:
      for (std::size_t b = 0; b < n; b += order.width) {
        float t = 0;
        for (std::size_t i = b; i < std::min<std::size_t>(n, b + order.width); ++i) t = term(t, i);
        s += t;
      }
      return s;
    case Order::shuffled: {
      std::vector<std::size_t> at(n);
      std::iota(at.begin(), at.end(), 0);
      Rng rng(12345);
      for (std::size_t i = n; i > 1; --i) std::swap(at[i - 1], at[rng.below(static_cast<std::uint32_t>(i))]);
      for (const std::size_t i : at) s = term(s, i);
      return s;
    }
    case Order::kahan: {
      float lost = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float y = term(0.0f, i) - lost, t = s + y;
        lost = (t - s) - y;
        s = t;
      }
      return s;
    }
  }
  return s;
}

#if defined(__x86_64__)
FlushToZero::FlushToZero(bool on) : saved_(_mm_getcsr()) {
  if (on) _mm_setcsr(saved_ | 0x8040);
}
FlushToZero::~FlushToZero() { _mm_setcsr(saved_); }
#else
FlushToZero::FlushToZero(bool) {}
FlushToZero::~FlushToZero() {}
#endif

Values softmax(const Problem& p, Softmax form, const Order& order) {
  const std::size_t rows = p.dim("rows"), n = p.dim("cols");
  constexpr float log2e = 1.44269504f;
  Values y(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = p["x"].data() + row * n;
    float* out = y.data() + row * n;
    float m = -kInf, l = 0;
    for (std::size_t i = 0; i < n; ++i) m = std::fmax(m, x[i]);
    if (form == Softmax::unshifted) m = 0;
    if (form == Softmax::online || form == Softmax::online_blocks) {
      float top = -kInf;
      const std::size_t width = form == Softmax::online ? 1 : 32;
      for (std::size_t b = 0; b < n; b += width) {
        const std::size_t end = std::min(n, b + width);
        float next = top, part = 0;
        for (std::size_t i = b; i < end; ++i) next = std::fmax(next, x[i]);
        if (next == -kInf) continue;
        for (std::size_t i = b; i < end; ++i) part += std::exp(x[i] - next);
        l = l * (top == -kInf ? 0 : std::exp(top - next)) + part;
        top = next;
      }
      for (std::size_t i = 0; i < n; ++i)
        if (x[i] != x[i]) l = x[i];
    }
    const auto e = [&](std::size_t i) {
      if (form == Softmax::exp2_prescaled) return std::exp2(x[i] * log2e - m * log2e);
      if (form == Softmax::exp2_fma) return std::exp2(std::fma(x[i], log2e, -(m * log2e)));
      return std::exp(x[i] - m);
    };
    if (form != Softmax::online && form != Softmax::online_blocks)
      l = reduce(n, order, [&](float s, std::size_t i) { return s + e(i); });
    if (form == Softmax::tail_leak)
      for (std::size_t i = n; i % 32 != 0; ++i) l += std::exp(0 - m);
    for (std::size_t i = 0; i < n; ++i) out[i] = form == Softmax::reciprocal ? e(i) * (1 / l) : e(i) / l;
  }
  return y;
}

Values layernorm(const Problem& p, Layernorm form, const Order& order) {
  const std::size_t rows = p.dim("rows"), n = p.dim("cols");
  const float eps = static_cast<float>(p.test_case.scalar(p.schema(), 0)), count = static_cast<float>(n);
  const Values &gamma = p["gamma"], &beta = p["beta"];
  Values y(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = p["x"].data() + row * n;
    float mean = 0, var = 0;
    if (form == Layernorm::welford) {
      float m2 = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float delta = x[i] - mean;
        mean += delta / static_cast<float>(i + 1);
        m2 += delta * (x[i] - mean);
      }
      var = m2 / count;
    } else if (form == Layernorm::welford_lanes) {
      constexpr std::size_t kLanes = 32;
      float m[kLanes] = {}, m2[kLanes] = {}, have[kLanes] = {};
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t l = i % kLanes;
        const float delta = x[i] - m[l];
        m[l] += delta / ++have[l];
        m2[l] += delta * (x[i] - m[l]);
      }
      for (std::size_t w = kLanes / 2; w > 0; w /= 2)
        for (std::size_t l = 0; l < w; ++l) {
          const float a = have[l], b = have[l + w], total = a + b;
          if (b == 0) continue;
          const float delta = m[l + w] - m[l], share = b / total;
          m[l] += delta * share;
          m2[l] += m2[l + w] + delta * delta * a * share;
          have[l] = total;
        }
      mean = m[0], var = m2[0] / count;
    } else {
      mean = reduce(n, order, [&](float s, std::size_t i) { return s + x[i]; }) / count;
      const auto square = [&](float v, float s) { return order.fma ? std::fma(v, v, s) : s + v * v; };
      if (form == Layernorm::naive)
        var = std::fmax(reduce(n, order, [&](float s, std::size_t i) { return square(x[i], s); }) / count - mean * mean,
                        0.0f);
      else
        var = reduce(n, order, [&](float s, std::size_t i) { return square(x[i] - mean, s); }) /
              (form == Layernorm::bessel && n > 1 ? count - 1 : count);
    }
    const float root = std::sqrt(var + eps),
                rstd = form == Layernorm::eps_outside ? 1 / (std::sqrt(var) + eps) : 1 / root;
    for (std::size_t i = 0; i < n; ++i) {
      const float g = gamma.empty() ? 1 : gamma[i], b = beta.empty() ? 0 : beta[i];
      float& out = y[row * n + i];
      if (form == Layernorm::fused_affine) {
        const float a = rstd * g, shift = b - mean * a;
        out = order.fma ? std::fma(x[i], a, shift) : x[i] * a + shift;
      } else {
        const float d = x[i] - mean, z = form == Layernorm::divide_by_sqrt ? d / root : d * rstd;
        out = order.fma ? std::fma(z, g, b) : z * g + b;
      }
    }
  }
  return y;
}

Values rmsnorm(const Problem& p, Rmsnorm form, const Order& order) {
  const std::size_t rows = p.dim("rows"), n = p.dim("cols");
  const float eps = static_cast<float>(p.test_case.scalar(p.schema(), 0));
  const Values& gamma = p["gamma"];
  Values y(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = p["x"].data() + row * n;
    const std::size_t counted = form == Rmsnorm::drops_last && n > 1 ? n - 1 : n;
    const float ms =
        reduce(counted, order,
               [&](float s, std::size_t i) { return order.fma ? std::fma(x[i], x[i], s) : s + x[i] * x[i]; }) /
        static_cast<float>(n);
    const float root = std::sqrt(ms + eps), rstd = form == Rmsnorm::no_sqrt ? 1 / (ms + eps) : 1 / root;
    for (std::size_t i = 0; i < n; ++i) {
      const float g = gamma.empty() ? 1 : gamma[i];
      float& out = y[row * n + i];
      if (form == Rmsnorm::weight_first) out = x[i] * (rstd * g);
      else if (form == Rmsnorm::divide) out = x[i] / root * g;
      else if (form == Rmsnorm::cast_before_weight) out = static_cast<float>(round_to(p.in_type(), x[i] * rstd)) * g;
      else out = x[i] * rstd * g;
    }
  }
  return y;
}

Values gelu(const Problem& p, Gelu form) {
  Values y;
  for (const float x : p["x"]) {
    constexpr float root_half = 0.70710678f;
    const float cube = x * x * x, z = 0.79788456f * (x + 0.044715f * cube), h = 0.5f * x;
    switch (form) {
      case Gelu::erf: y.push_back(h * (1 + std::erf(x * root_half))); break;
      case Gelu::erfc: y.push_back(x * (0.5f * std::erfc(-x * root_half))); break;
      case Gelu::erf_fma: y.push_back(std::fma(h, std::erf(x * root_half), h)); break;
      case Gelu::tanh: y.push_back(h * (1 + std::tanh(z))); break;
      case Gelu::tanh_exp: y.push_back(h * (1 + (1 - 2 / (std::exp(2 * z) + 1)))); break;
      case Gelu::tanh_sigmoid: y.push_back(x / (1 + std::exp(-2 * z))); break;
      case Gelu::tanh_approx: y.push_back(h * (1 + std::clamp(std::tanh(z) * (1 + 0x1p-17f), -1.0f, 1.0f))); break;
      case Gelu::no_half: y.push_back(x * (1 + std::tanh(z))); break;
    }
  }
  return y;
}

Values matmul(const Problem& p, Matmul form, const Order& order) {
  const std::size_t m = p.dim("M"), n = p.dim("N"), k = p.dim("K");
  const Values &a = p["a"], &b = p["b"];
  const DType half = p.in_type();
  Values c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto x = [&](std::size_t q) { return a[i * k + q]; };
      const auto y = [&](std::size_t q) { return b[q * n + j]; };
      const auto step = [&](float s, std::size_t q) { return order.fma ? std::fma(x(q), y(q), s) : s + x(q) * y(q); };
      float& out = c[i * n + j];
      switch (form) {
        case Matmul::plain: out = reduce(k, order, step); break;
        case Matmul::kahan: out = reduce(k, {Order::kahan}, step); break;
        case Matmul::tf32:
          out = reduce(k, order, [&](float s, std::size_t q) { return s + tf32(x(q)) * tf32(y(q)); });
          break;
        case Matmul::tensor_core: {
          double acc = 0;
          for (std::size_t first = 0; first < k; first += 16) {
            detail::AlignedProduct t[16];
            int count = 0;
            bool finite = std::isfinite(acc);
            double plain = acc;
            for (std::size_t q = first; q < std::min(k, first + 16); ++q) {
              const double product = static_cast<double>(x(q)) * y(q);
              const int emin = info(half).emin;
              finite &= std::isfinite(product);
              plain += product;
              t[count++] = {product, std::max(detail::binary_exponent(x(q)), emin) +
                                         std::max(detail::binary_exponent(y(q)), emin)};
            }
            acc = finite ? detail::tensor_core_block(t, count, acc) : plain;
          }
          out = static_cast<float>(acc);
          break;
        }
        case Matmul::split_k_16: {
          float s = 0;
          for (std::size_t part = 0; part < 4; ++part) {
            float t = 0;
            for (std::size_t q = k * part / 4; q < k * (part + 1) / 4; ++q) t = step(t, q);
            s += static_cast<float>(round_to(half, t));  // partial sums pass through 16-bit memory
          }
          out = s;
          break;
        }
        case Matmul::accumulate_16: {
          double s = 0;
          for (std::size_t q = 0; q < k; ++q) s = round_to(half, s + static_cast<double>(x(q)) * y(q));
          out = static_cast<float>(s);
          break;
        }
        case Matmul::overwrite:
          for (std::size_t first = 0; first < k; first += 32) {
            out = 0;
            for (std::size_t q = first; q < std::min(k, first + 32); ++q) out = step(out, q);
          }
          break;
        case Matmul::drops_last: out = reduce(k - 1, order, step); break;
      }
    }
  return c;
}

std::uint64_t output_poison(DType t) {
  switch (t) {
    case DType::f16: return 0x7e5a;
    case DType::bf16: return 0x7fda;
    default: return 0x7fda1234;
  }
}
std::vector<std::byte> stored(DType t, const Values& y) {
  std::vector<std::byte> b(y.size() * dtype_size(t));
  for (std::size_t i = 0; i < y.size(); ++i) store_element(t, b.data() + i * dtype_size(t), y[i]);
  return b;
}
std::vector<std::byte> stored_truncating(DType t, const Values& y) {
  std::vector<std::byte> b(y.size() * dtype_size(t));
  for (std::size_t i = 0; i < y.size(); ++i)
    store_element(t, b.data() + i * dtype_size(t), y[i] < 0 ? round_up(t, y[i]) : round_down(t, y[i]));
  return b;
}

Verdict judge_bytes(const Problem& p, std::vector<std::byte> bytes, const std::vector<Reference>* refs,
                    std::vector<std::uint32_t> tiles) {
  std::vector<Reference> own;
  if (!refs) {
    own = p.references();
    refs = &own;
  }
  std::vector<std::vector<std::byte>> outputs(p.schema().tensors.size());
  outputs[p.output()] = std::move(bytes);
  return judge(JudgeInput{p.schema(), p.test_case, p.row, p.spec.dialects(), *refs, outputs, output_poison, tiles});
}
Verdict judge_values(const Problem& p, const Values& y, const std::vector<Reference>* refs) {
  return judge_bytes(p, stored(p.out_type(), y), refs);
}

int beyond_after_permutation(const Problem& p, const std::function<Values(const Problem&)>& kernel) {
  int beyond = 0;
  const Bytes bytes = encode(p.schema(), p.test_case);
  for (int round = 0; round < kPermutationRounds; ++round) {
    Problem q = p;
    q.in = permuted_inputs(p.schema(), p.test_case, p.in, hash_bytes(bytes.data(), bytes.size()), round);
    const Verdict v = judge_values(q, kernel(q));
    beyond += v.beyond_tight > 0;
  }
  return beyond;
}
bool is_finding(const Problem& p, const std::function<Values(const Problem&)>& kernel, bool* drifted) {
  const Verdict v = judge_values(p, kernel(p));
  if (v.fault != FaultClass::none) return true;
  if (!v.suspect) return false;
  const bool confirmed = beyond_after_permutation(p, kernel) >= kPermutationQuorum;
  if (drifted && !confirmed) *drifted = true;
  return confirmed;
}

}  // namespace warpfuzz::test
