// One row of the tolerance table (src/oracle/tolerances.toml): what a reference needs to compute its error bound.
// The struct lives here because references receive the row; the oracle loads the file.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "numeric/dtype.h"

namespace warpfuzz {

// Rounding of the final store.
enum class Store : std::uint8_t { nearest, toward_zero, down, up };
inline constexpr std::array<std::string_view, 4> kStoreNames = {"rn", "rz", "rd", "ru"};  // by Store
constexpr std::string_view store_name(Store s) { return kStoreNames[static_cast<std::size_t>(s)]; }

struct ToleranceRow {
  std::string name;  // "matmul.fp16"
  int table_version = 1;
  double c = 1.0;                   // multiplies E only
  double c0 = 4, lam = 1, kap = 4;  // constants of E_sum
  bool ftz = true;                  // subnormals may be flushed (never for fp16 storage)
  Store store = Store::nearest;
};

// What a target declares about the arithmetic of its kernel; printed in every report.
struct Dialects {
  bool fast = false;                    // -use_fast_math forms: silu, sigmoid, log, sin, cos, tanh.approx
  bool tanh_approx = false;             // hardware tanh.approx, as sm_90 computes it
  bool tanh_approx_portable = false;    // hardware tanh.approx of any GPU: the error that PTX promises
  bool tc = false;                      // tensor cores
  bool tf32 = false;                    // inputs rounded to tf32
  bool tf32_truncated = false;          // raw mma.sync: inputs truncated to tf32
  bool rpr = false;                     // reduced-precision (16-bit) split-K reduction
  bool p_cast = false, s_cast = false;  // attention: 16-bit P, 16-bit scores
  bool naive_variance = false;          // var = E[x^2] - E[x]^2
  bool compensated = false;             // Kahan and split sums: Inf may become NaN
  bool cast_before_weight = false;      // rmsnorm: cast to the 16-bit dtype before the weight
  bool acc16 = false;                   // accumulation in the 16-bit dtype
  bool no_ftz = false;                  // ftz=never: subnormals must be kept
  bool strict_barriers = false, deterministic = false, nan_propagate = false, strict_zero = false, mask_select = false;
  // Op-specific choice with no default, such as gelu's "erf" or "tanh" or "either".
  std::string form;
  // Another formula than the usual one, which costs accuracy in a way of its own: "tanh", "exp" or "expm1".
  std::string via;
};
std::string describe(const Dialects& d);  // "form=tanh fast", "none" where nothing is declared

}  // namespace warpfuzz
