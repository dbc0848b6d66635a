// The largest errors of CUDA's fp32 functions, from NVIDIA's own code compiled for this processor, against the constants that
// the error bounds use (numeric/running_error.h).
//   libdevice-errors [--step N] [--function NAME] [--jobs N]     every Nth of all 2^32 floats (5); exit code 1: a constant is too small
#include <fmt/format.h>
#include <xmmintrin.h>

#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "instructions.h"
#include "numeric/running_error.h"

extern "C" {
float __nv_expf(float);
float __nv_fast_expf(float);
float __nv_exp2f(float);
float __nv_expm1f(float);
float __nv_tanhf(float);
float __nv_erff(float);
float __nv_erfcf(float);
float __nv_normcdff(float);
float __nv_rsqrtf(float);
float __nv_sqrtf(float);
float __nv_frcp_rn(float);
float __nv_logf(float);
float __nv_fast_logf(float);
}

namespace {

namespace fe = warpfuzz::function_error;
constexpr double u = 0x1p-24;

double none(double, double) { return 0; }

struct Function {
  const char* name;
  float (*device)(float);
  double (*exact)(double);
  double c;                                    // of c * u * |f(x)|
  double (*other)(double x, double r) = none;  // what the bound allows besides, absolute
};
const Function kFunctions[] = {
    {"expf", __nv_expf, std::exp, fe::exp},
    {"__expf", __nv_fast_expf, std::exp, fe::fast_exp(0),
     [](double x, double r) { return (fe::fast_exp(x) - fe::fast_exp(0)) * u * r; }},
    {"exp2f", __nv_exp2f, std::exp2, fe::exp2},
    {"expm1f", __nv_expm1f, std::expm1, fe::expm1},
    {"tanhf", __nv_tanhf, std::tanh, fe::tanh},
    {"erff", __nv_erff, std::erf, fe::erf},
    {"erfcf", __nv_erfcf, std::erfc, fe::erfc},
    {"normcdff", __nv_normcdff, [](double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }, fe::normcdf},
    {"rsqrtf", __nv_rsqrtf, [](double x) { return 1 / std::sqrt(x); }, fe::rsqrt},
    {"sqrtf", __nv_sqrtf, std::sqrt, fe::sqrt},
    {"1/x", __nv_frcp_rn, [](double x) { return 1 / x; }, fe::reciprocal},
    {"logf", __nv_logf, std::log, fe::log},
    {"__logf", __nv_fast_logf, std::log, fe::log,
     [](double, double r) { return fe::fast_log_absolute(r) - fe::log * u * std::fabs(r); }},
};

struct Worst {
  double c = 0;  // the factor that would be needed
  float at = 0;
  std::uint64_t special = 0;  // NaN or Inf where the other is finite
  float special_at = 0;
  void merge(const Worst& o) {
    if (o.c > c) c = o.c, at = o.at;
    if (!special && o.special) special_at = o.special_at;
    special += o.special;
  }
};

Worst scan(const Function& f, std::uint64_t first, std::uint64_t last, std::uint64_t step) {
  const double eta = g_model.ftz ? 0x1p-125 : 0x1p-149;
  Worst w;
  for (std::uint64_t bits = first; bits < last; bits += step) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (g_model.ftz && x != 0 && std::fabs(x) < FLT_MIN) continue;  // flushed: another rule's matter
    const double r = f.exact(x);
    if (std::isfinite(r) && std::fabs(r) > 0.999 * FLT_MAX) continue;  // may round to Inf
    const float y = f.device(x);
    if (!std::isfinite(r) || !std::isfinite(y)) {
      const bool same = std::isnan(r) ? std::isnan(y) : static_cast<double>(y) == r;
      if (!same && !w.special++) w.special_at = x;
      continue;
    }
    const double excess = std::fabs(y - r) - eta - f.other(x, r);
    if (excess > w.c * u * std::fabs(r)) w.c = excess / (u * std::fabs(r)), w.at = x;
  }
  return w;
}

Worst scan_all(const Function& f, std::uint64_t step, int jobs) {
  std::vector<Worst> parts(static_cast<std::size_t>(jobs));
  std::vector<std::thread> threads;
  const std::uint64_t share = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(jobs) / step * step + step;
  for (int j = 0; j < jobs; ++j)
    threads.emplace_back([&, j] {
      if (g_model.ftz) _mm_setcsr(_mm_getcsr() | 0x8040);  // this thread flushes results and inputs
      const std::uint64_t first = static_cast<std::uint64_t>(j) * share;
      parts[static_cast<std::size_t>(j)] = scan(f, first, std::min(first + share, std::uint64_t{1} << 32), step);
    });
  for (std::thread& t : threads) t.join();
  Worst all;
  for (const Worst& w : parts) all.merge(w);
  return all;
}

std::uint64_t number(const char* option, const char* text) {
  std::uint64_t n = 0;
  const char* end = text ? text + std::strlen(text) : nullptr;
  if (!text || std::from_chars(text, end, n).ptr != end || n < 1 || n > 1u << 31) {
    fmt::print(stderr, "libdevice-errors: {}: expected a whole number from 1 on, got '{}'\n", option,
               text ? text : "nothing");
    std::exit(80);
  }
  return n;
}

bool within(const Function& f, const Worst& w) {
  if (w.c > f.c)
    fmt::print(stderr, "libdevice-errors: {}: {:.3g} u at {:.9g}, the bounds allow {:.3g}\n", f.name, w.c, w.at, f.c);
  if (w.special)
    fmt::print(
        stderr,
        "libdevice-errors: {}: {} results are NaN or Inf and should not be, or the reverse; the first at {:.9g}\n",
        f.name, w.special, w.special_at);
  return w.c <= f.c && !w.special;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t step = 5;
  int jobs = 1;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : nullptr;
    if (option == "--step") step = number("--step", value);
    else if (option == "--jobs") jobs = static_cast<int>(std::min<std::uint64_t>(number("--jobs", value), 256));
    else if (option == "--function" && value) only = value;
    else
      return fmt::print(stderr,
                        "libdevice-errors: unknown option '{}'; known are --step N, --jobs N, --function NAME\n",
                        option),
             80;
  }
  fmt::print(
      "Every {} of all fp32 inputs. Errors in u = 2^-24 of the result, beyond eta and what else the bound allows.\n\n",
      step == 1 ? "one" : fmt::format("{}th", step));
  fmt::print(
      "| function | c_f | exact instructions | at x | with FTZ | instructions at their worst |\n|---|---:|---:|---:|---:|---:|\n");
  bool good = true, known = false;
  for (const Function& f : kFunctions) {
    if (!only.empty() && only != f.name) continue;
    known = true;
    g_model = {false, 0, 0};
    const Worst exact = scan_all(f, step, jobs);
    g_model = {true, 0, 0};
    const Worst ftz = scan_all(f, step, jobs);
    Worst worst = exact;
    for (const int exponentials : {-1, 1})
      for (const int roots : {-1, 1}) {
        g_model = {false, exponentials, roots};
        worst.merge(scan_all(f, step, jobs));
      }
    fmt::print("| {} | {:.3g} | {:.2f} | {:.9g} | {:.2f} | {:.2f} |\n", f.name, f.c, exact.c, exact.at, ftz.c, worst.c);
    std::fflush(stdout);
    for (const Worst* w : {&exact, &ftz}) good &= within(f, *w);
  }
  if (!known) return fmt::print(stderr, "libdevice-errors: unknown function '{}'\n", only), 80;
  return good ? 0 : 1;
}
