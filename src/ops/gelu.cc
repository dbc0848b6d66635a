// GELU, element by element. Two forms that differ by up to 5e-4: a target declares form=erf, form=tanh, or form=either.
//   erf:  0.5 * x * (1 + erf(x / sqrt 2))
//   tanh: 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
// The error scale is |x|, not |gelu(x)|: 1 + erf cancels on the negative side.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes/arith.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u;

enum class Form : std::uint8_t { erf, tanh, either };
constexpr std::array<std::string_view, 3> kForms = {"erf", "tanh", "either"};

double gelu_erf(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
double gelu_tanh(double x) {
  const double z = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * z));
}

struct Gelu {
  const Arith& arith;
  bool erf_form, tanh_form;
  double coefficient;  // of |x|

  explicit Gelu(const Arith& a) : Gelu(a, ops::declared<Form>(kForms, a.dialects.form)) {}
  Gelu(const Arith& a, Form form)
      : arith(a),
        erf_form(form != Form::tanh),
        tanh_form(form != Form::erf),
        coefficient(tanh_form ? tanh_coefficient(a.dialects) : 4 * u) {}

  // 4u; with the hardware's tanh 76u on sm_90, and on any GPU what PTX promises of it, 2^-11, times the factor by which
  // an error of tanh reaches the result where |x| is its scale.
  static double tanh_coefficient(const Dialects& d) {
    if (d.tanh_approx_portable) return 4 * u + 0.53 * 0x1p-11;
    return (d.tanh_approx || d.fast ? 76 : 4) * u;
  }

  Required operator()(double x) const {
    const double abs_x = std::fabs(x);
    if (!(2 * abs_x <= kFloatMax)) return special(x);
    const double e = coefficient * abs_x + arith.flushed(x) + arith.eta;
    if (!erf_form || !tanh_form) return {erf_form ? gelu_erf(x) : gelu_tanh(x), e};
    const double a = gelu_erf(x), b = gelu_tanh(x), r = 0.5 * (a + b);  // the hull of both intervals
    return {r, (std::max(std::fabs(a - r), std::fabs(b - r)) + e) * (1 + 0x1p-50)};
  }
  static Required special(double x) {
    if (x != x) return of_nan();
    if (std::isinf(x)) return x > 0 ? Required{.r = x} : Required{.flags = kNanOk | kZeroOk};
    return {.flags = kAny, .reason = Reason::overflow};
  }
  Parts parts(double x) const {
    return {{"erf, exp or tanh and the products around it", 4 * u * std::fabs(x)},
            {"hardware tanh", (coefficient - 4 * u) * std::fabs(x)},
            {"either form", erf_form && tanh_form ? 0.5 * std::fabs(gelu_erf(x) - gelu_tanh(x)) : 0},
            {arith.flush_results ? "FTZ" : "underflow", arith.flushed(x) + arith.eta}};
  }
};

void gelu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, Gelu(arith));
}

}  // namespace

namespace ops {
Op gelu_op() {
  Op op = element_op(gelu_reference);
  op.forms = as_list(kForms);
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
