// fuzz_example_scale_rows: an op of the target's own, y = x * w + shift with one weight a row.
#include "scale_rows.cu"
#include "warpfuzz/target.h"

#include <cmath>

// r, the exact value, and E, what a correct fp32 computation may be off before the final store, for every output element.
static void scale_rows_reference(const warpfuzz::RefContext& c, std::vector<warpfuzz::Reference>& refs) {
  constexpr double u = 0x1p-24, largest = 0x1.fffffep127, least_normal = 0x1p-126;
  const auto& x = c.in[c.schema.tensor_index("x")];  // row-major values, exact in the tensor's dtype
  const auto& w = c.in[c.schema.tensor_index("w")];
  const std::size_t cols = c.dim("cols");
  const double shift = c.scalar("shift");
  // Product and sum may each underflow: by half the smallest subnormal, or altogether where subnormals may be flushed.
  const double underflow = 2 * (c.compute_ftz() ? least_normal : 0x1p-150);

  warpfuzz::Reference& y = refs[c.schema.tensor_index("y")];
  y.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], b = w[i / cols], product = a * b;  // exact: 24 + 24 bits
    const bool flushable =
        c.ftz() && ((a != 0 && std::fabs(a) < least_normal) || (b != 0 && std::fabs(b) < least_normal));
    if (std::isnan(product)) {  // NaN among the inputs, or 0 * Inf
      y.flags[i] = warpfuzz::kNanRequired;
    } else if (std::isinf(product)) {
      y.r[i] = product;  // exactly that Inf, unless the other operand may become 0
      if (flushable) y.flags[i] = warpfuzz::kAny, y.reason[i] = warpfuzz::Reason::flush_meets_inf;
    } else if (std::fabs(product) > 0.9 * largest) {  // with fma it may survive, without it may not
      y.flags[i] = warpfuzz::kAny, y.reason[i] = warpfuzz::Reason::overflow;
    } else {
      y.r[i] = product + shift;
      y.e[i] = 1.01 * u * (std::fabs(product) + std::fabs(y.r[i])) + underflow + (flushable ? std::fabs(product) : 0);
      y.e_rig[i] = y.e[i];  // one tier: no sum, so no order of summation
    }
  }
}

WARPFUZZ_TARGET(example_scale_rows,
                TargetSpec::custom("scale_rows")
                    .dtypes({f32, f16, bf16})
                    .dim("rows", 64)
                    .dim("cols", 512)
                    .input("x", {"rows", "cols"})
                    .input("w", {"rows"})
                    .output("y", {"rows", "cols"})
                    .launch_parameter("shift", {0, 1, -0.5})
                    .reference(scale_rows_reference),
                [](const Launch& l) {
                  l.for_dtype([&]<class T>() {
                    scale_rows<T>(l.in<T>("x"), l.in<T>("w"), l.out<T>("y"), l.dim("rows"), l.dim("cols"),
                                  static_cast<float>(l.scalar("shift")), l.stream());
                  });
                });
