// ReLU, leaky ReLU and ELU, element by element: positive values are copied, so that E is 0 there.
//   relu:        max(x, 0)
//   leaky_relu:  x, or slope * x below 0
//   elu:         x, or alpha * (exp(x) - 1) below 0
// Written with fmaxf and fminf they turn NaN into 0; the dialect nan=propagate forbids that.
#include <cmath>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes/arith.h"
#include "ops/registry.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u;

// x itself, bit for bit; a subnormal that arithmetic may flush also as 0.
Required copied(double x, const Arith& arith) { return {.r = x, .flags = arith.flushes(x) ? kBitEqual | kZeroOk : 0}; }

struct Relu {
  const Arith& arith;
  Required operator()(double x) const {
    if (x != x) return of_nan_in_max(arith.dialects);
    if (std::fabs(x) >= kFloatMinNormal) return {.r = x > 0 ? x : 0};  // one select: signs come in no order
    if (x > 0) return copied(x, arith);
    return {.flags = std::signbit(x) && x == 0 ? kZeroOk : 0};  // max(-0, 0) may be either zero
  }
  static Parts parts(double) { return {}; }
};

struct LeakyRelu {
  const Arith& arith;
  double slope;
  Required operator()(double x) const {
    if (x != x) return of_nan_in_max(arith.dialects);
    if (x >= 0) return copied(x, arith);
    const double r = slope * x;
    if (r != r) return {.flags = kNanOk | kZeroOk};  // a slope of 0 meets -Inf
    return {r, std::isinf(r) ? 0 : 2 * u * std::fabs(r) + arith.eta + std::fabs(slope) * arith.flushed(x)};
  }
  Parts parts(double x) const {
    if (x >= 0) return {};
    return {{"product", 2 * u * std::fabs(slope * x)},
            {arith.flush_results ? "FTZ" : "underflow", arith.eta + std::fabs(slope) * arith.flushed(x)}};
  }
};

struct Elu {
  const Arith& arith;
  double alpha, abs_alpha;
  bool expm1_form, fast;

  Elu(const Arith& a, double value)
      : arith(a),
        alpha(value),
        abs_alpha(std::fabs(value)),
        expm1_form(a.dialects.via == "expm1"),
        fast(a.dialects.fast) {}

  Required operator()(double x) const {
    if (x != x) return of_nan_in_max(arith.dialects);
    if (x > 0) return copied(x, arith);
    const double below = std::expm1(x);  // exp(x) - 1
    return {alpha * below, function_error(x, below) + rounding(below) + underflow(x)};
  }
  // exp(x) - 1 loses what exp rounds off; expm1 keeps its relative accuracy.
  double function_error(double x, double below) const {
    if (expm1_form) return 0;
    const double e = below + 1;
    return abs_alpha * u * (3 + (fast ? 1.25 * std::fmin(-x, 1e3) : 0)) * e;
  }
  double rounding(double below) const { return (expm1_form ? 4 : 2) * u * abs_alpha * std::fabs(below); }
  double underflow(double x) const {
    return arith.eta * (expm1_form ? 1 + abs_alpha : 1) + abs_alpha * arith.flushed(x);
  }
  Parts parts(double x) const {
    if (x > 0) return {};
    const double below = std::expm1(x);
    return {{"exp", function_error(x, below)},
            {expm1_form ? "expm1 and the product" : "subtraction and product", rounding(below)},
            {arith.flush_results ? "FTZ" : "underflow", underflow(x)}};
  }
};

void relu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, Relu{arith});
}
void leaky_relu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, LeakyRelu{arith, static_cast<float>(c.scalar("slope"))});
}
void elu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const Arith arith(c);
  reference_of_elements(c, refs, Elu(arith, static_cast<float>(c.scalar("alpha"))));
}

}  // namespace

namespace ops {
Op relu_op() { return element_op(relu_reference); }
Op leaky_relu_op() {
  Op op = element_op(leaky_relu_reference);
  op.schema.scalars = {{"slope", {0.01, 0.2, 0.1, 0.5}}};
  return op;
}
Op elu_op() {
  Op op = element_op(elu_reference);
  op.schema.scalars = {{"alpha", {1.0, 0.5, 2.0, 0.1}}};
  op.vias = {"expm1"};
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
