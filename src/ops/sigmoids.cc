// Sigmoid, SiLU and tanh, element by element.
//   sigmoid: 1 / (1 + exp(-x))          usual; via=tanh: 0.5 + 0.5 * tanh(x / 2), whose error does not shrink with it
//   silu:    x * sigmoid(x)             error scale |x|, as of gelu
//   tanh:    usual: tanhf; via=exp: 1 - 2 / (exp(2x) + 1) and the like, whose error does not shrink near 0
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

// Relative error of the hardware's tanh: as sm_90 computes it, or what PTX promises of any GPU.
double hardware_tanh_error(const Dialects& d) { return d.tanh_approx_portable ? 0x1p-11 : 187 * u; }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// How far __expf(-x) moves the sigmoid s beyond expf's 3u: its own error grows with |x|. Past 1000 s is 0 or 1.
double fast_exp(double x, double s) { return 3 * u * std::min(std::fabs(x), 1e3) * s * (1 - s); }
// Of the sigmoid by tanh(x / 2) = 2s - 1, tanh off by `error`.
double hardware_tanh(double s, double error) { return 0.5 * error * std::fabs(2 * s - 1); }

struct Sigmoid {
  bool tanh_form, fast, hardware;
  double tanh_error;

  explicit Sigmoid(const Dialects& d)
      : tanh_form(d.via == "tanh"),
        fast(d.fast && !tanh_form),
        hardware(tanh_form && (d.tanh_approx || d.tanh_approx_portable || d.fast)),
        tanh_error(hardware_tanh_error(d)) {}

  Required operator()(double x) const {
    if (x != x) return of_nan();
    const double s = sigmoid(x), rounding = tanh_form ? 3 * u : 3 * u * s * (2 - s);
    return {s, rounding + dialects(x, s) + kUnderflow};
  }
  double dialects(double x, double s) const {
    return fast ? fast_exp(x, s) : hardware ? hardware_tanh(s, tanh_error) : 0;
  }
  Parts parts(double x) const {
    const double s = sigmoid(x);
    Parts p = {{hardware ? "hardware tanh" : "fast exp", dialects(x, s)}, {"underflow", kUnderflow}};
    if (tanh_form) {
      p.emplace_back("tanh and the operations around it", 3 * u);
    } else {
      p.emplace_back("exp", 3 * u * s * (1 - s));
      p.emplace_back("addition and division", 3 * u * s);
    }
    return p;
  }
  // exp(-x) overflows a little before the sigmoid underflows, with and without flushing.
  static constexpr double kUnderflow = 0x1p-125;
};

struct Silu {
  const Arith& arith;
  bool fast, hardware;
  double tanh_error;

  explicit Silu(const Arith& a)
      : arith(a),
        fast(a.dialects.fast && a.dialects.via.empty()),
        hardware(a.dialects.tanh_approx || a.dialects.tanh_approx_portable || (a.dialects.fast && !fast)),
        tanh_error(hardware_tanh_error(a.dialects)) {}

  Required operator()(double x) const {
    if (x != x) return of_nan();
    if (std::isinf(x)) return x > 0 ? Required{.r = x} : Required{.flags = kNanOk | kZeroOk};  // -Inf * 0
    const double s = sigmoid(x);
    return {x * s, 4 * u * std::fabs(x) + dialects(x, s) + arith.eta};
  }
  double dialects(double x, double s) const {
    return std::fabs(x) * ((fast ? fast_exp(x, s) : 0) + (hardware ? hardware_tanh(s, tanh_error) : 0));
  }
  Parts parts(double x) const {
    return {{"exp or tanh and the operations around it", 4 * u * std::fabs(x)},
            {hardware ? "hardware tanh" : "fast exp", dialects(x, sigmoid(x))},
            {arith.flush_results ? "FTZ" : "underflow", arith.eta}};
  }
};

struct Tanh {
  const Arith& arith;
  double absolute, relative;

  explicit Tanh(const Arith& a)
      : arith(a),
        absolute(a.dialects.via != "exp" ? 0
                 : a.dialects.fast       ? 7 * u
                                         : 5 * u),
        relative(a.dialects.tanh_approx || a.dialects.tanh_approx_portable || (a.dialects.fast && absolute == 0)
                     ? hardware_tanh_error(a.dialects)
                     : 4 * u) {}

  Required operator()(double x) const {
    if (x != x) return of_nan();
    const double r = std::tanh(x);
    return {r, std::max(absolute, relative * std::fabs(r)) + arith.eta};
  }
  Parts parts(double x) const {
    const double own = relative * std::fabs(std::tanh(x));
    return {{absolute > own     ? "exp and the operations around it"
             : relative > 4 * u ? "hardware tanh"
                                : "tanh",
             std::max(absolute, own)},
            {arith.flush_results ? "FTZ" : "underflow", arith.eta}};
  }
};

void sigmoid_reference(const RefContext& c, std::vector<Reference>& refs) {
  reference_of_elements(c, refs, Sigmoid(c.dialects));
}
void silu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, Silu(arith));
}
void tanh_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, Tanh(arith));
}

}  // namespace

namespace ops {
Op sigmoid_op() {
  Op op = element_op(sigmoid_reference);
  op.vias = {"tanh"};
  return op;
}
Op silu_op() {
  Op op = element_op(silu_reference);
  op.vias = {"tanh"};
  return op;
}
Op tanh_op() {
  Op op = element_op(tanh_reference);
  op.vias = {"exp"};
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
