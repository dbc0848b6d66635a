// E_sum of docs/oracle.md: a bound on the error of a sum of n terms, whatever the order in which a kernel adds them.
//
//   rigorous   n*u*S + n*eta, S = sum|t|: holds for every order, with and without FMA.
//   tight      the second arm (c0 + lam*sqrt(n))*u*S + kap*D instead, where smaller: roundings of independent sign
//              grow like sqrt(n); what drifts (constants, ramps) does so in near-sequential orders, and D replays those.
// Where the sum is exact in every order (below), both are 0.
//
// D = the largest |running sum in the accumulator's dtype - exact sum| over all prefixes, forward and backward.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "numeric/dtype.h"
#include "numeric/round.h"
#include "numeric/tolerance.h"

namespace warpfuzz {

// Above this share of the largest finite value some order of a sum overflows, and nothing can be required.
inline constexpr double kOverflowShare = 0.9;
inline constexpr double kFloatMax = 0x1.fffffep127, kFloatMinNormal = 0x1p-126;

struct SumModel {
  DType acc = DType::f32;  // of the accumulator
  double u = 0x1p-24;      // its unit roundoff
  double eta = 0x1p-125;   // absolute error of an operation that underflows
  double max = kFloatMax;
  double c0 = 4, lam = 1, kap = 4;
};

// eta_t: half the smallest subnormal of a 16-bit dtype.
inline double half_min_subnormal(DType t) { return info(t).min_subnormal / 2; }

// flush: subnormal results may be replaced by zero. acc: f32, or a 16-bit dtype under the dialect acc=16.
inline SumModel sum_model(const ToleranceRow& row, bool flush, DType acc = DType::f32) {
  SumModel m;
  m.acc = acc;
  m.u = info(acc).unit_roundoff;
  m.eta = flush && acc != DType::f16 ? 0x1p-125 : acc == DType::f32 ? 0x1p-149 : half_min_subnormal(acc);
  m.max = info(acc).max;
  m.c0 = row.c0, m.lam = row.lam, m.kap = row.kap;
  return m;
}

struct SumBound {
  double value = 0, abs_sum = 0, drift = 0;  // exact sum, S, D
  double tight = 0, rigorous = 0;            // E_sum of the two tiers
  bool overflow = false;                     // S > 0.9 of the largest finite value: unspecified
  bool exact = false;                        // no order of the sum rounds
};

// The two arms of sums of n terms, from S and D.
struct SumArms {
  double n, lam, second, u, kap, tail;
  SumArms(double terms, const SumModel& m)
      : n(terms), lam(m.lam), second(m.c0 + m.lam * std::sqrt(terms)), u(m.u), kap(m.kap), tail(terms * m.eta) {}
  double rigorous(double abs_sum) const { return n * (u * abs_sum) + tail; }
  double tight(double abs_sum, double drift) const {
    if (!std::isfinite(drift)) drift = std::numeric_limits<double>::infinity();
    const double u_s = u * abs_sum;
    return std::min(n * u_s, second * u_s + (kap > 0 ? kap * drift : 0)) + tail;
  }
};

// ---- Exact sums ----
// All terms are multiples of a power of two q and S <= q/u: then so is every partial sum, with at most as many digits as the
// accumulator has, in every order, with FMA or without, on tensor cores too.

// What the operands of one sum share: each is a multiple of 2^lowest. Zeros are multiples of anything.
struct OperandGrid {
  static constexpr int kNone = 1 << 20;  // zeros alone
  int lowest = kNone;
  bool short_digits = true;  // each fits the eleven digits of tf32

  // x is finite and not subnormal in its dtype.
  void add(float x) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
    if (magnitude == 0) return;
    const int last = std::countr_zero((magnitude & 0x7fffffu) | 0x800000u);
    lowest = std::min(lowest, static_cast<int>(magnitude >> 23) - 150 + last);
    short_digits &= (magnitude & 0x1fffu) == 0;
  }
  void never() { lowest = -kNone; }  // an operand that may be flushed or aligned away
};
// The quantum of products with one operand from each grid; 0 where it is out of reach of every number format.
inline double product_quantum(const OperandGrid& a, const OperandGrid& b) {
  const int e = std::clamp(a.lowest, -OperandGrid::kNone, 127) + std::clamp(b.lowest, -OperandGrid::kNone, 127);
  return e < -126 ? 0 : std::ldexp(1.0, e);
}
inline bool exact_in_every_order(double abs_sum, double quantum, const SumModel& m) {
  return quantum >= info(m.acc).min_normal && abs_sum <= quantum / m.u;
}

// The two arms from n, S and D; quantum: of the terms, 0 where it is not known.
inline void set_arms(SumBound& b, double n, const SumModel& m, double quantum = 0) {
  const SumArms arms(n, m);
  b.rigorous = arms.rigorous(b.abs_sum);
  b.tight = arms.tight(b.abs_sum, b.drift);
  b.overflow = !(b.abs_sum <= kOverflowShare * m.max);
  b.exact = exact_in_every_order(b.abs_sum, quantum, m);
  if (b.exact) b.tight = b.rigorous = 0;
}
// Whether the second arm can be the smaller one at all; otherwise D need not be known.
inline bool needs_drift(double n, const SumModel& m) { return n > m.c0 + m.lam * std::sqrt(n); }

// A sum in fp32 and how far it drifts from the exact one: the errors of its additions are fp32 numbers themselves.
struct RunningSum {
  float sum = 0, lost = 0, drift = 0;
  void add(float x) {
    const float next = sum + x, added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
    drift = std::fabs(lost) > drift ? std::fabs(lost) : drift;
  }
};

// term(i) gives the exact terms; it may be called twice for each i. quantum as above.
template <class Term>
SumBound sum_bound(std::size_t n, Term term, const SumModel& m, double quantum = 0) {
  SumBound b;
  if (!needs_drift(static_cast<double>(n), m)) {
    for (std::size_t i = 0; i < n; ++i) {
      const double x = term(i);
      b.value += x, b.abs_sum += std::fabs(x);
    }
  } else if (m.acc == DType::f32) {
    RunningSum forward, backward;  // both chains in one loop: each waits for its own last addition only
    for (std::size_t i = 0; i < n; ++i) {
      const double x = term(i);
      b.value += x, b.abs_sum += std::fabs(x);
      forward.add(static_cast<float>(x));
      backward.add(static_cast<float>(term(n - 1 - i)));
    }
    b.drift = std::max(forward.drift, backward.drift);
  } else {
    double s = 0, s_back = 0, w = 0, w_back = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = term(i), y = term(n - 1 - i);
      b.value += x, b.abs_sum += std::fabs(x);
      s = round_to(m.acc, s + x), w += x;
      s_back = round_to(m.acc, s_back + y), w_back += y;
      b.drift = std::max({b.drift, std::fabs(s - w), std::fabs(s_back - w_back)});
    }
  }
  set_arms(b, static_cast<double>(n), m, quantum);
  return b;
}

// ---- Tensor cores (dialect tc): sums of products a*b as the hardware forms them ----

// What differs between the formats: the smallest exponent that an operand counts with, and the products a block.
struct TensorCoreFormat {
  int emin;
  int block;
  double arm_slope, arm_offset;
};
inline TensorCoreFormat tensor_core_format(DType operand, bool tf32) {
  if (tf32) return {-126, 4, 1.13, 4.5};
  return {info(operand).emin, 16, 0.66, 10.5};
}

namespace detail {
inline int binary_exponent(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023; }
inline double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }
inline constexpr int kNoExponent = -100000;
struct AlignedProduct {
  double value;
  int exponent;
};  // exponent: the sum of the operands' exponents

// One block: every term is truncated to 2^(e-25), e the largest exponent among them; the exact sum of those is
// truncated to 24 bits.
inline double tensor_core_block(const AlignedProduct* p, int n, double acc) {
  int e = acc != 0 ? std::max(binary_exponent(acc), -126) : kNoExponent;
  for (int i = 0; i < n; ++i)
    if (p[i].value != 0) e = std::max(e, p[i].exponent);
  if (e < -1000) return 0;
  const double up = std::ldexp(1.0, 25 - e);
  double t = std::trunc(acc * up);
  for (int i = 0; i < n; ++i) t += std::trunc(p[i].value * up);
  if (t == 0) return 0;
  t = std::ldexp(t, e - 25);
  const double quantum = power_of_two(std::max(binary_exponent(t), -126) - 23);
  t = std::trunc(t / quantum) * quantum;
  return std::fabs(t) > kFloatMax ? std::copysign(std::numeric_limits<double>::infinity(), t) : t;
}
}  // namespace detail

// a(i), b(i): finite operands. plain: the sum_bound of the products.
template <class A, class B>
SumBound tensor_core_bound(std::size_t n, A a, B b, const TensorCoreFormat& f, const SumModel& m, SumBound plain) {
  const double least = detail::power_of_two(f.emin);
  double acc = 0, exact = 0, drift = 0, s_prime = 0;
  detail::AlignedProduct block[16];
  for (std::size_t k = 0; k < n; k += f.block) {
    const int count = static_cast<int>(std::min<std::size_t>(f.block, n - k));
    for (int i = 0; i < count; ++i) {
      const double x = a(k + i), y = b(k + i), p = x * y;
      exact += p;
      block[i] = {p, detail::kNoExponent};
      if (p == 0) continue;
      block[i].exponent = std::max(detail::binary_exponent(x), f.emin) + std::max(detail::binary_exponent(y), f.emin);
      s_prime += std::max(std::fabs(x), least) * std::max(std::fabs(y), least);
    }
    acc = detail::tensor_core_block(block, count, acc);
    drift = std::max(drift, std::fabs(acc - exact));
  }
  if (!std::isfinite(drift)) drift = std::numeric_limits<double>::infinity();
  const double terms = static_cast<double>(n), u_s = m.u * s_prime, tail = terms * m.eta;
  const double first = (f.arm_slope * terms + f.arm_offset) * u_s;
  const double second = (m.c0 + m.lam * std::sqrt(terms)) * u_s + (m.kap > 0 ? m.kap * drift : 0);
  plain.drift = std::max(plain.drift, drift);
  plain.tight = std::max(plain.tight, std::min(first, second) + tail);
  plain.rigorous = std::max(plain.rigorous, first + tail);
  return plain;
}

}  // namespace warpfuzz
