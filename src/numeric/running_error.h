// A value with a bound on its fp32 error: references of ops without an error formula of their own are written once on
// Val, and the bound comes out (docs/oracle.md, composition).
//
//   RunningError arith{.flush = true};
//   Val z = arith.exp(arith.neg(arith.input(x)));
//   Val y = arith.div(arith.input(1), arith.add(arith.input(1), z));
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace warpfuzz {

struct Val {
  double v = 0, e = 0;
  bool any = false;      // nothing can be required: a divisor may be zero, ...
  bool zero_ok = false;  // fast division by more than 2^126 gives 0
};

// c_f: error of CUDA's fp32 functions in units of u = 2^-24, from scans over all 2^32 inputs.
namespace function_error {
inline constexpr double exp = 3, exp2 = 3, expm1 = 3, tanh = 4, erf = 4, erfc = 6, normcdf = 7, tanh_approx = 187;
inline constexpr double rsqrt = 4, sqrt = 4, reciprocal = 4, log = 4, division = 2.5;
inline double fast_exp(double x) { return 3 + 1.25 * std::fabs(x); }  // __expf
inline double fast_log_absolute(double log_x) { return 4 * std::fabs(log_x) * 0x1p-24 + 0x1p-21 / 1.3195079107728942; }
inline double fast_sin_absolute(double x) { return (4 + 5 * std::fabs(x)) * 0x1p-24; }  // __sinf, __cosf
}  // namespace function_error

struct RunningError {
  bool flush = true;  // FTZ allowed
  bool fast = false;  // the fast forms of exp, log and division

  static constexpr double u = 0x1p-24;
  double eta() const { return flush ? 0x1p-125 : 0x1p-149; }

  static Val input(double x) { return {x, 0}; }  // a tensor's element: exact
  // ... that the arithmetic may flush to zero.
  Val flushable_input(double x) const { return {x, flush && x != 0 && std::fabs(x) < 0x1p-126 ? std::fabs(x) : 0}; }

  static Val neg(Val a) {
    a.v = -a.v;
    return a;
  }
  static Val add(Val a, Val b) {
    const double v = a.v + b.v;
    return join(a, b, v, a.e + b.e + u * std::fabs(v));
  }
  static Val sub(Val a, Val b) { return add(a, neg(b)); }
  Val mul(Val a, Val b) const {
    const double v = a.v * b.v;
    return join(a, b, v, std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + a.e * b.e + u * std::fabs(v) + eta());
  }
  Val div(Val a, Val b) const {
    const double v = a.v / b.v;
    if (!(b.e < std::fabs(b.v))) return {v, 0, true, false};
    Val q =
        join(a, b, v,
             (a.e + std::fabs(v) * b.e) / (std::fabs(b.v) - b.e) + function_error::division * u * std::fabs(v) + eta());
    q.zero_ok |= fast && std::fabs(b.v) + b.e > 0x1p126;
    return q;
  }
  // f monotone on [a - e, a + e]; c: its own error in u relative to the result.
  template <class F>
  Val monotone(Val a, F f, double c) const {
    const double v = f(a.v), lo = f(a.v - a.e), hi = f(a.v + a.e);
    const double spread = std::max(std::fabs(hi - v), std::fabs(v - lo));
    Val r{v, spread + c * u * std::fabs(v) + eta(), a.any, a.zero_ok};
    if (std::isnan(lo) || std::isnan(hi)) r.any = true;  // the interval leaves f's domain
    return r;
  }
  Val exp(Val a) const {
    return monotone(
        a, [](double x) { return std::exp(x); }, fast ? function_error::fast_exp(a.v) : function_error::exp);
  }
  Val log(Val a) const {
    Val r = monotone(a, [](double x) { return std::log(x); }, function_error::log);
    if (fast) r.e += function_error::fast_log_absolute(r.v);
    return r;
  }
  Val tanh(Val a) const {
    return monotone(a, [](double x) { return std::tanh(x); }, function_error::tanh);
  }
  Val erf(Val a) const {
    return monotone(a, [](double x) { return std::erf(x); }, function_error::erf);
  }
  Val erfc(Val a) const {
    return monotone(a, [](double x) { return std::erfc(x); }, function_error::erfc);
  }
  Val sqrt(Val a) const {
    return monotone(a, [](double x) { return std::sqrt(x); }, function_error::sqrt);
  }
  Val rsqrt(Val a) const {
    Val r = monotone(a, [](double x) { return 1 / std::sqrt(x); }, function_error::rsqrt);
    r.any |= !(a.v - a.e > 0);
    return r;
  }

 private:
  static Val join(const Val& a, const Val& b, double v, double e) {
    return {v, e, a.any || b.any, a.zero_ok || b.zero_ok};
  }
};

}  // namespace warpfuzz
