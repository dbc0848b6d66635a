// Rows divided by their norm, with eps in its three places.
#include <cmath>

#include "emulate.h"

namespace warpfuzz::test {

Values l2norm(const Problem& p, L2norm form, const Order& order, std::string eps_form) {
  const std::size_t rows = p.dim("rows"), n = p.dim("cols");
  const float eps = static_cast<float>(p.test_case.scalar(p.schema(), 0));
  if (eps_form.empty()) eps_form = p.spec.dialects().form;
  Values y(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = p["x"].data() + row * n;
    const std::size_t counted = form == L2norm::drops_last && n > 1 ? n - 1 : n;
    float squares = reduce(
        counted, order, [&](float s, std::size_t i) { return order.fma ? std::fma(x[i], x[i], s) : s + x[i] * x[i]; });
    if (form == L2norm::mean_square) squares /= static_cast<float>(n);
    const float root = form == L2norm::no_sqrt ? squares : std::sqrt(squares);
    float norm = root;  // what to divide by
    if (eps_form == "max") norm = std::fmax(root, eps);
    if (eps_form == "add") norm = root + eps;
    if (eps_form == "sqrt") norm = std::sqrt(squares + eps);
    float scale = 1 / norm;
    if (form == L2norm::rsqrt && eps_form == "max") scale = 1 / std::sqrt(std::fmax(squares, eps * eps));
    for (std::size_t i = 0; i < n; ++i) y[row * n + i] = form == L2norm::divide ? x[i] / norm : x[i] * scale;
  }
  return y;
}

}  // namespace warpfuzz::test
