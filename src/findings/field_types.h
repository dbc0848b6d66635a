// Words of the lower layers in messages and headers: fault classes and element types.
#pragma once
#include <string_view>

#include "base/fields/form.h"
#include "base/fields/names.h"
#include "numeric/dtype.h"
#include "schema/fault.h"

namespace warpfuzz {

struct FaultNames {
  std::string_view what = "fault class";
  static std::string_view name(FaultClass f) { return fault_name(f); }
  static std::optional<FaultClass> find(std::string_view word) { return fault_from_name(word); }
};
inline FaultNames names_of(FaultClass) { return {}; }

struct DTypeNames {
  std::string_view what = "element type";
  static std::string_view name(DType t) { return dtype_name(t); }
  static std::optional<DType> find(std::string_view word) { return dtype_from_name(word); }
};
inline DTypeNames names_of(DType) { return {}; }

}  // namespace warpfuzz
