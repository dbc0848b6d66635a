#include "element_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "numeric/running_error.h"

namespace warpfuzz::test {
namespace {

constexpr double u = 0x1p-24;

}  // namespace

// To c*u off in all: the rounding to float takes one u of it.
float Functions::moved(double exact, double c, float argument) const {
  return static_cast<float>(worst ? exact * (1 + (up(argument) ? 1 : -1) * (c - 1) * u) : exact);
}
bool Functions::up(float argument) { return hash_bytes(&argument, sizeof argument) & 1; }

// exp(0) is exactly 1, where an argument may be flushed to 0; on either side of 0 it stays on its side of 1.
float Functions::exp(float x) const { return side_of_one(x, moved(std::exp(double{x}), function_error::exp, x)); }
float Functions::fast_exp(float x) const {
  return side_of_one(x, moved(std::exp(double{x}), std::fabs(x) < 1000 ? function_error::fast_exp(x) : 1, x));
}
float Functions::side_of_one(float x, float y) {
  if (std::fabs(x) < 0x1p-126f) return 1;
  return x > 0 ? std::max(y, 1.0f) : x < 0 ? std::min(y, 1.0f) : y;
}
// One ulp off, as CUDA documents it.
float Functions::expm1(float x) const {
  const double exact = std::expm1(double{x}), half = 0.5 * ulp(DType::f32, exact);
  return static_cast<float>(worst && std::isfinite(exact) ? exact + (up(x) ? half : -half) * (1 - 0x1p-20) : exact);
}
// Both saturate: 1 is exact.
float Functions::tanh(float x) const {
  return std::fabs(x) > 9.1f ? std::copysign(1.0f, x)
                             : std::clamp(moved(std::tanh(double{x}), function_error::tanh, x), -1.0f, 1.0f);
}
float Functions::hardware_tanh(float x) const {
  return std::fabs(x) > 9.1f ? std::copysign(1.0f, x)
                             : std::clamp(moved(std::tanh(double{x}), function_error::tanh_approx, x), -1.0f, 1.0f);
}
float Functions::fast_divide(float x, float y) const {
  if (std::fabs(y) > 0x1p126f) return std::isinf(y) ? x / y : 0.0f;
  return moved(double{x} / y, function_error::division, y);
}

TargetSpec ElementKernel::spec() const {
  TargetSpec s = op == "silu"         ? ops::silu()
                 : op == "sigmoid"    ? ops::sigmoid()
                 : op == "tanh"       ? ops::tanh()
                 : op == "relu"       ? ops::relu()
                 : op == "leaky_relu" ? ops::leaky_relu()
                                      : ops::elu();
  for (const char* d : dialects) s.dialect(d);
  if (!s.validate().empty()) throw std::invalid_argument(s.validate());
  return s;
}

const std::vector<ElementKernel>& element_kernels() {
  using F = Functions;
  constexpr bool kWrong = false, kFp32 = true;
  static const std::vector<ElementKernel> kernels = {
      {"silu", "quotient", {}, true, false, [](float x, float, const F& f) { return x / (1 + f.exp(-x)); }},
      {"silu", "product", {}, true, false, [](float x, float, const F& f) { return x * (1 / (1 + f.exp(-x))); }},
      {"silu",
       "tanh",
       {},
       true,
       false,
       [](float x, float, const F& f) { return x * (0.5f * f.tanh(0.5f * x) + 0.5f); }},
      {"silu",
       "half_tanh",
       {},
       true,
       false,
       [](float x, float, const F& f) {
         const float h = 0.5f * x;
         return std::fma(h, f.tanh(h), h);
       }},
      {"silu",
       "fast",
       {"fast"},
       true,
       false,
       [](float x, float, const F& f) { return f.fast_divide(x, 1 + f.fast_exp(-x)); }},
      {"silu",
       "hardware_tanh",
       {"tanh.approx"},
       true,
       false,
       [](float x, float, const F& f) { return x * (0.5f * f.hardware_tanh(0.5f * x) + 0.5f); }},
      {"silu",
       "double_argument",
       {},
       kWrong,
       false,
       [](float x, float, const F& f) { return x / (1 + f.exp(-2 * x)); }},
      {"silu", "sigmoid_alone", {}, kWrong, false, [](float x, float, const F& f) { return 1 / (1 + f.exp(-x)); }},
      {"silu",
       "gelu_by_sigmoid",
       {},
       kWrong,
       false,
       [](float x, float, const F& f) { return x / (1 + f.exp(-1.702f * x)); }},
      {"silu",
       "undeclared_hardware_tanh",
       {},
       kWrong,
       kFp32,
       [](float x, float, const F&) { return x * (0.5f * F{true}.hardware_tanh(0.5f * x) + 0.5f); }},

      {"sigmoid", "quotient", {}, true, false, [](float x, float, const F& f) { return 1 / (1 + f.exp(-x)); }},
      {"sigmoid",
       "by_sign",
       {},
       true,
       false,
       [](float x, float, const F& f) {
         const float e = f.exp(-std::fabs(x));
         return (x < 0 ? e : 1) / (1 + e);
       }},
      {"sigmoid",
       "fast",
       {"fast"},
       true,
       false,
       [](float x, float, const F& f) { return static_cast<float>(1.0 / (1 + f.fast_exp(-x))); }},
      {"sigmoid",
       "tanh",
       {"via=tanh"},
       true,
       false,
       [](float x, float, const F& f) { return 0.5f * f.tanh(0.5f * x) + 0.5f; }},
      {"sigmoid",
       "hardware_tanh",
       {"via=tanh", "tanh.approx"},
       true,
       false,
       [](float x, float, const F& f) { return 0.5f * f.hardware_tanh(0.5f * x) + 0.5f; }},
      {"sigmoid",
       "undeclared_tanh",
       {},
       kWrong,
       kFp32,
       [](float x, float, const F& f) { return 0.5f * f.tanh(0.5f * x) + 0.5f; }},
      {"sigmoid",
       "overflows_on_the_right",
       {},
       kWrong,
       false,
       [](float x, float, const F& f) { return f.exp(x) / (1 + f.exp(x)); }},
      {"sigmoid", "other_sign", {}, kWrong, false, [](float x, float, const F& f) { return 1 / (1 + f.exp(x)); }},

      {"tanh", "tanh", {}, true, false, [](float x, float, const F& f) { return f.tanh(x); }},
      {"tanh",
       "one_minus",
       {"via=exp"},
       true,
       false,
       [](float x, float, const F& f) { return 1 - 2 / (f.exp(2 * x) + 1); }},
      {"tanh",
       "by_sign",
       {"via=exp"},
       true,
       false,
       [](float x, float, const F& f) {
         const float e = f.exp(-2 * std::fabs(x));
         return std::copysign((1 - e) / (1 + e), x);
       }},
      {"tanh",
       "sigmoid",
       {"via=exp"},
       true,
       false,
       [](float x, float, const F& f) { return 2 / (1 + f.exp(-2 * x)) - 1; }},
      {"tanh",
       "fast_exp",
       {"via=exp", "fast"},
       true,
       false,
       [](float x, float, const F& f) { return 1 - f.fast_divide(2, f.fast_exp(2 * x) + 1); }},
      {"tanh", "hardware", {"tanh.approx"}, true, false, [](float x, float, const F& f) { return f.hardware_tanh(x); }},
      {"tanh",
       "hardware_of_fast_math",
       {"fast"},
       true,
       false,
       [](float x, float, const F& f) { return f.hardware_tanh(x); }},
      {"tanh",
       "undeclared_exp",
       {},
       kWrong,
       kFp32,
       [](float x, float, const F& f) { return 1 - 2 / (f.exp(2 * x) + 1); }},
      {"tanh",
       "undeclared_hardware",
       {},
       kWrong,
       kFp32,
       [](float x, float, const F&) { return F{true}.hardware_tanh(x); }},
      {"tanh",
       "overflows_on_the_right",
       {"via=exp"},
       kWrong,
       false,
       [](float x, float, const F& f) { return (f.exp(2 * x) - 1) / (f.exp(2 * x) + 1); }},
      {"tanh", "half_argument", {}, kWrong, false, [](float x, float, const F& f) { return f.tanh(0.5f * x); }},

      {"relu", "fmax", {}, true, false, [](float x, float, const F&) { return std::fmax(x, 0.0f); }},
      {"relu", "comparison", {}, true, false, [](float x, float, const F&) { return x > 0 ? x : 0; }},
      {"relu", "keeps_nan", {"nan=propagate"}, true, false, [](float x, float, const F&) { return x <= 0 ? 0 : x; }},
      {"relu",
       "drops_nan",
       {"nan=propagate"},
       kWrong,
       false,
       [](float x, float, const F&) { return std::fmax(x, 0.0f); }},
      {"relu", "absolute", {}, kWrong, false, [](float x, float, const F&) { return std::fabs(x); }},
      {"relu", "times_mask", {}, kWrong, false, [](float x, float, const F&) { return x * static_cast<float>(x > 0); }},
      {"relu",
       "relu6",
       {},
       kWrong,
       false,
       [](float x, float, const F&) { return std::fmin(std::fmax(x, 0.0f), 6.0f); }},
      {"relu",
       "not_a_copy",
       {},
       kWrong,
       kFp32,
       [](float x, float, const F&) { return std::fmax(x, 0.0f) * (1 + 0x1p-23f); }},

      {"leaky_relu",
       "comparison",
       {"nan=propagate"},
       true,
       false,
       [](float x, float slope, const F&) { return x > 0 ? x : slope * x; }},
      {"leaky_relu",
       "max_and_min",
       {},
       true,
       false,
       [](float x, float slope, const F&) { return std::fmax(x, 0.0f) + slope * std::fmin(x, 0.0f); }},
      {"leaky_relu", "max", {}, true, false, [](float x, float slope, const F&) { return std::fmax(x, slope * x); }},
      {"leaky_relu",
       "other_slope",
       {},
       kWrong,
       false,
       [](float x, float slope, const F&) { return x > 0 ? x : (slope == 0.1f ? 0.01f : 0.1f) * x; }},
      {"leaky_relu",
       "slope_on_the_right",
       {},
       kWrong,
       false,
       [](float x, float slope, const F&) { return x < 0 ? x : slope * x; }},
      {"leaky_relu",
       "division",
       {},
       kWrong,
       kFp32,
       [](float x, float slope, const F&) { return x > 0 ? x : x / std::round(1 / slope) * (1 + 0x1p-21f); }},

      {"elu",
       "exp",
       {"nan=propagate"},
       true,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : a * (f.exp(x) - 1); }},
      {"elu",
       "max_and_min",
       {},
       true,
       false,
       [](float x, float a, const F& f) { return std::fmax(x, 0.0f) + std::fmin(a * (f.exp(x) - 1), 0.0f); }},
      {"elu",
       "fused",
       {},
       true,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : std::fma(a, f.exp(x), -a); }},
      {"elu",
       "fast",
       {"fast"},
       true,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : a * (f.fast_exp(x) - 1); }},
      {"elu",
       "expm1",
       {"via=expm1"},
       true,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : a * f.expm1(x); }},
      {"elu",
       "expm1_undeclared",
       {},
       true,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : a * f.expm1(x); }},
      {"elu",
       "exp_where_expm1_is_declared",
       {"via=expm1"},
       kWrong,
       kFp32,
       [](float x, float a, const F& f) { return x > 0 ? x : a * (f.exp(x) - 1); }},
      {"elu", "without_alpha", {}, kWrong, false, [](float x, float, const F& f) { return x > 0 ? x : f.exp(x) - 1; }},
      {"elu",
       "without_minus_one",
       {},
       kWrong,
       false,
       [](float x, float a, const F& f) { return x > 0 ? x : a * f.exp(x); }},
      {"elu",
       "overflows_unselected",
       {},
       kWrong,
       false,
       [](float x, float a, const F& f) {
         const float right = x > 0;
         return right * x + (1 - right) * a * (f.exp(x) - 1);
       }},
  };
  return kernels;
}

Values run(const ElementKernel& k, const Problem& p, const Functions& f) {
  const float scalar = p.schema().scalars.empty() ? 0 : static_cast<float>(p.test_case.scalar(p.schema(), 0));
  Values y;
  y.reserve(p["x"].size());
  for (const float x : p["x"]) y.push_back(k.run(x, scalar, f));
  return y;
}

}  // namespace warpfuzz::test
