// Element types of tensors and their constants. No CUDA header: these are our own definitions, so that the
// oracle never depends on the code it judges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpfuzz {

enum class DType : std::uint8_t { f32, f16, bf16, f64, i32, i64, u8 };

struct DTypeInfo {
  std::string_view name;  // "fp32", "fp16", "bf16", "fp64", "int32", "int64", "uint8"
  std::size_t size;       // bytes an element
  bool floating;
  int precision;         // significand bits including the hidden one: 24, 11, 8, 53
  int emin;              // exponent of the smallest normal number: -126, -14, -126, -1022
  double max;            // largest finite value
  double min_normal;     // 2^emin
  double min_subnormal;  // 2^(emin - precision + 1)
  double unit_roundoff;  // 2^-precision: 2^-24, 2^-11, 2^-8
};

const DTypeInfo& info(DType t);
std::optional<DType> dtype_from_name(std::string_view name);
inline std::string_view dtype_name(DType t) { return info(t).name; }
inline std::size_t dtype_size(DType t) { return info(t).size; }

}  // namespace warpfuzz
