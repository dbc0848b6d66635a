// GELU, element by element. Two forms that differ by up to 5e-4: a target declares form=erf, form=tanh, or form=either.
//   erf:  0.5 * x * (1 + erf(x / sqrt 2))
//   tanh: 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
// The error scale is |x|, not |gelu(x)|: 1 + erf cancels on the negative side.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/arith.h"
#include "ops/families.h"

namespace warpfuzz {
namespace {

constexpr double u = Arith::u;

double gelu_erf(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
double gelu_tanh(double x) {
  const double z = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * z));
}

struct Gelu {
  const Arith& arith;
  bool erf_form, tanh_form;
  double coefficient;  // of |x|: 4u, or 76u with the hardware's tanh

  explicit Gelu(const Arith& a)
      : arith(a), erf_form(a.dialects.form != "tanh"), tanh_form(a.dialects.form != "erf"),
        coefficient((tanh_form && (a.dialects.tanh_approx || a.dialects.fast) ? 76 : 4) * u) {}

  void run(std::span<const float> in, Reference& ref) const {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double x = in[i], abs_x = std::fabs(x);
      if (!(2 * abs_x <= kFloatMax)) {
        special(x, ref, i);
        continue;
      }
      const double e = coefficient * abs_x + arith.flushed(x) + arith.eta;
      if (erf_form && tanh_form) {  // the hull of both intervals
        const double a = gelu_erf(x), b = gelu_tanh(x), r = 0.5 * (a + b);
        ref.r[i] = r;
        ref.e[i] = (std::max(std::fabs(a - r), std::fabs(b - r)) + e) * (1 + 0x1p-50);
      } else {
        ref.r[i] = erf_form ? gelu_erf(x) : gelu_tanh(x);
        ref.e[i] = e;
      }
      ref.e_rig[i] = ref.e[i];
    }
  }
  static void special(double x, Reference& ref, std::size_t i) {
    const double inf = std::numeric_limits<double>::infinity();
    if (x != x) ref.flags[i] = kNanRequired;
    else if (x == inf) ref.r[i] = inf;
    else if (x == -inf) ref.flags[i] = kNanOk | kZeroOk;
    else ref.flags[i] = kAny, ref.reason[i] = Reason::overflow;
  }
};

void gelu_reference(const RefContext& c, std::vector<Reference>& refs) {
  const int x = c.schema.tensor_index("x"), y = c.schema.tensor_index("y");
  const Arith arith(c);
  const Gelu gelu(arith);
  refs[y].resize(c.in[x].size());
  gelu.run(c.in[x], refs[y]);
  if (c.explain && c.explain->wants(y, 0, refs[y].r.size()) && refs[y].flags[c.explain->element] == 0) {
    const double v = c.in[x][c.explain->element];
    c.explain->set({{"erf, exp or tanh and the products around it", 4 * u * std::fabs(v)},
                    {"hardware tanh", (gelu.coefficient - 4 * u) * std::fabs(v)},
                    {"either form", gelu.erf_form && gelu.tanh_form ? 0.5 * std::fabs(gelu_erf(v) - gelu_tanh(v)) : 0},
                    {arith.flush_results ? "FTZ" : "underflow", arith.flushed(v) + arith.eta}});
  }
}

}  // namespace

namespace ops {
Op gelu_op() {
  Op op;
  op.summary = "gelu of every element: x[n] -> y; form=erf, form=tanh or form=either";
  op.schema.op = "gelu";
  op.schema.dtypes = float_dtypes();
  op.schema.dims = {dim_spec("n", 32768)};
  op.schema.tensors = {in_tensor("x", {0}), out_tensor("y", {0})};
  op.schema.max_elements = 2 * 32768;
  op.schema.max_work = 32768;
  op.schema.work = [](const Dims& d) { return std::uint64_t{d[0]}; };
  op.forms = {"erf", "tanh", "either"};
  op.reference = gelu_reference;
  return op;
}
}  // namespace ops

}  // namespace warpfuzz
