// From plain values to a judged reference.
#include "ops/value_reference.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

ReferenceFn wrap(ValueFn values, ErrorModel model, bool bit_equal) {
  return [values = std::move(values), model, bit_equal](const RefContext& c, std::vector<Reference>& refs) {
    std::vector<std::vector<double>> v(c.schema.tensors.size());
    values(c, v);
    for (std::size_t t = 0; t < v.size(); ++t) {
      const TensorSpec& tensor = c.schema.tensors[t];
      if (tensor.role != Role::out && tensor.role != Role::inout) continue;
      const TensorLayout layout = tensor_layout(c.schema, c.test_case, static_cast<int>(t));
      if (!layout.present) continue;
      if (v[t].size() != layout.elements)
        throw std::logic_error("op " + c.schema.op + ": its reference gave " + std::to_string(v[t].size()) +
                               " values of tensor '" + tensor.name + "', expected " + std::to_string(layout.elements));
      Reference& ref = refs[t];
      ref.resize(layout.elements);
      const double eta = bit_equal ? 0 : c.compute_ftz() ? 0x1p-125 : 0x1p-149;
      for (std::size_t i = 0; i < v[t].size(); ++i) {
        const double x = v[t][i];
        if (std::isnan(x)) {
          ref.flags[i] = kNanRequired;
          continue;
        }
        ref.r[i] = x;
        if (bit_equal) ref.flags[i] = kBitEqual;
        else if (std::isfinite(x))
          ref.e[i] = ref.e_rig[i] = 0x1p-24 * model.relative * std::fabs(x) + model.absolute + eta;
      }
    }
  };
}

}  // namespace

ReferenceFn reference_from_values(ValueFn values, ErrorModel model) { return wrap(std::move(values), model, false); }
ReferenceFn bit_equal_reference(ValueFn values) { return wrap(std::move(values), {0, 0}, true); }

}  // namespace warpfuzz
