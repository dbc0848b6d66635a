// Math functions that CUDA offers and the C library lacks, in fp64.
#include <cmath>
#include <limits>

#include "exec/cpu/surface/surface.h"

namespace warpfuzz::cpu {
namespace {
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846, kSqrt2 = 1.41421356237309504880, kSqrtPi = 1.77245385090551602730;

// y = erfc(x) for tiny and moderate y, by Newton's method on log(erfc): it is close to a parabola, so that few steps do.
double erfc_inverse_small(double y) {  // 0 < y < 1
  const double target = std::log(y);
  double x = y > 0.5 ? (1 - y) * kSqrtPi / 2 : std::sqrt(-target) * 0.9;
  for (int i = 0; i < 100; ++i) {
    const double scaled = erfc_scaled(x);  // exp(x^2) erfc(x)
    const double step = (std::log(scaled) - x * x - target) * scaled * kSqrtPi / 2;
    x += step;
    if (x < 0) x = 0;
    if (std::fabs(step) <= 1e-16 * std::fabs(x)) break;
  }
  return x;
}
}  // namespace

double sin_pi(double x) {
  if (!std::isfinite(x)) return kNan;
  if (x == std::trunc(x)) return std::copysign(0.0, x);
  const double r = std::fmod(std::fabs(x), 2.0);  // exact
  const double s = r <= 0.25  ? std::sin(kPi * r)
                   : r < 0.75 ? std::cos(kPi * (0.5 - r))
                   : r < 1.25 ? std::sin(kPi * (1.0 - r))
                   : r < 1.75 ? -std::cos(kPi * (1.5 - r))
                              : std::sin(kPi * (r - 2.0));
  return std::signbit(x) ? -s : s;
}

double cos_pi(double x) {
  if (!std::isfinite(x)) return kNan;
  const double r = std::fmod(std::fabs(x), 2.0);
  if (r == 0.5 || r == 1.5) return 0.0;
  return r <= 0.25  ? std::cos(kPi * r)
         : r < 0.75 ? std::sin(kPi * (0.5 - r))
         : r < 1.25 ? -std::cos(kPi * (1.0 - r))
         : r < 1.75 ? std::sin(kPi * (r - 1.5))
                    : std::cos(kPi * (r - 2.0));
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / kSqrt2); }
double normal_cdf_inverse(double p) { return -kSqrt2 * erfc_inverse(2.0 * p); }

double erf_inverse(double y) {
  if (std::isnan(y) || std::fabs(y) > 1.0) return kNan;
  if (std::fabs(y) == 1.0) return std::copysign(kInf, y);
  if (std::fabs(y) >= 0.5) return std::copysign(erfc_inverse_small(1.0 - std::fabs(y)), y);
  double x = y * kSqrtPi / 2;
  if (std::fabs(y) < 1e-9) return x;
  for (int i = 0; i < 50; ++i) {
    const double step = (std::erf(x) - y) * kSqrtPi / 2 * std::exp(x * x);
    x -= step;
    if (std::fabs(step) <= 1e-16 * std::fabs(x)) break;
  }
  return x;
}

double erfc_inverse(double y) {
  if (std::isnan(y) || y < 0.0 || y > 2.0) return kNan;
  if (y == 0.0) return kInf;
  if (y == 2.0) return -kInf;
  if (y > 0.5 && y < 1.5) return erf_inverse(1.0 - y);
  return y <= 0.5 ? erfc_inverse_small(y) : -erfc_inverse_small(2.0 - y);
}

double erfc_scaled(double x) {
  if (std::isnan(x)) return x;
  if (x < -26.7) return kInf;
  if (x < 5.0) return std::exp(x * x) * std::erfc(x);
  // The continued fraction 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))) / sqrt(pi), from below.
  double f = x;
  for (int k = 60; k >= 1; --k) f = x + 0.5 * k / f;
  return 1.0 / (f * kSqrtPi);
}

namespace {
// I_order(x) for 0 <= x <= 713: the sum of (x/2)^(2k+order) / (k! (k+order)!), whose terms are all positive.
double bessel_i(int order, double x) {
  const double quarter = x * x / 4;
  double term = order == 0 ? 1.0 : x / 2, sum = term;
  for (int k = 1; k < 2000; ++k) {
    term *= quarter / (double(k) * (k + order));
    sum += term;
    if (k > x / 2 && term < sum * 1e-18) break;
  }
  return sum;
}
}  // namespace

double bessel_i0(double x) { return std::isnan(x) ? x : std::fabs(x) > 713.0 ? kInf : bessel_i(0, std::fabs(x)); }
double bessel_i1(double x) {
  if (std::isnan(x)) return x;
  return std::copysign(std::fabs(x) > 713.0 ? kInf : bessel_i(1, std::fabs(x)), x);
}

namespace {
template <class T>
double norm_of_any(const T* p, int n) {
  double norm = 0.0;
  bool infinite = false;
  for (int i = 0; i < n; ++i) {
    infinite = infinite || std::isinf(p[i]);
    norm = std::hypot(norm, double(p[i]));
  }
  return infinite ? kInf : norm;
}
}  // namespace
double norm_of(const double* p, int n) { return norm_of_any(p, n); }
double norm_of(const float* p, int n) { return norm_of_any(p, n); }

}  // namespace warpfuzz::cpu
