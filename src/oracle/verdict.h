// What the oracle says about the outputs of one run.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields/names.h"
#include "numeric/dtype.h"
#include "schema/fault.h"

namespace warpfuzz {

struct WrongElement {
  int tensor = -1;
  std::size_t element = 0;                        // row-major
  std::vector<std::uint32_t> at;                  // coordinates
  double got = 0, reference = 0, lo = 0, hi = 0;  // allowed [lo, hi], already rounded to the output dtype
  // |got - r| / E (16-bit: excess over half an ulp), in half ulps where E = 0; Inf for special values.
  double ratio = 0;
  bool exact = false;     // E = 0: compared bit for bit
  std::int64_t ulps = 0;  // distance to the interval; 0 of integers
  bool got_bits_are_poison = false;
  std::string carries;  // a NaN with the payload of memory that nobody wrote: poison_source()
};

// What the wrong elements have in common, as a kind of error and as a place in the tensor (docs/oracle.md).
enum class ErrorKind : std::uint8_t {
  none,
  unwritten,
  nan_unexpected,
  inf_unexpected,
  nan_missing,
  inf_missing,
  sign,
  all_zero,
  wrong_index,
  wrong_integer,
  const_ratio,
  gross,
  precision,
};
enum class ErrorPlace : std::uint8_t {
  none,
  single,
  all,
  last_row,
  last_col,
  tail_block,
  first,
  rows,
  cols,
  sparse,
  interior,
};
inline constexpr NameTable<ErrorKind, 13> kErrorKindNames{"kind of error",
                                                          {{ErrorKind::none, ""},
                                                           {ErrorKind::unwritten, "unwritten"},
                                                           {ErrorKind::nan_unexpected, "nan-unexpected"},
                                                           {ErrorKind::inf_unexpected, "inf-unexpected"},
                                                           {ErrorKind::nan_missing, "nan-missing"},
                                                           {ErrorKind::inf_missing, "inf-missing"},
                                                           {ErrorKind::sign, "sign"},
                                                           {ErrorKind::all_zero, "all-zero"},
                                                           {ErrorKind::wrong_index, "wrong-index"},
                                                           {ErrorKind::wrong_integer, "wrong-integer"},
                                                           {ErrorKind::const_ratio, "const-ratio"},
                                                           {ErrorKind::gross, "gross"},
                                                           {ErrorKind::precision, "precision"}}};
constexpr const auto& names_of(ErrorKind) { return kErrorKindNames; }
inline constexpr NameTable<ErrorPlace, 11> kErrorPlaceNames{"place of errors",
                                                            {{ErrorPlace::none, ""},
                                                             {ErrorPlace::single, "single"},
                                                             {ErrorPlace::all, "all"},
                                                             {ErrorPlace::last_row, "last-row"},
                                                             {ErrorPlace::last_col, "last-col"},
                                                             {ErrorPlace::tail_block, "tail-block"},
                                                             {ErrorPlace::first, "first"},
                                                             {ErrorPlace::rows, "rows"},
                                                             {ErrorPlace::cols, "cols"},
                                                             {ErrorPlace::sparse, "sparse"},
                                                             {ErrorPlace::interior, "interior"}}};
constexpr const auto& names_of(ErrorPlace) { return kErrorPlaceNames; }

inline constexpr int kReasonCount = 6;  // of Reason (ops/op.h)

struct Verdict {
  FaultClass fault = FaultClass::none;  // none, unwritten, index, special or value
  bool suspect = false;                 // only the tight bound was left: run the permutations before judging
  // Elements judged; outside E_rig or against a rule; outside E (those that are wrong included).
  std::size_t total = 0, wrong = 0, beyond_tight = 0;
  std::size_t exact = 0;          // compared bit for bit: E = 0, every order of the sum is exact or none is needed
  std::size_t uninitialised = 0;  // of the wrong ones: NaN with the payload of memory that nobody wrote
  std::array<std::size_t, kReasonCount> unspecified{};  // by Reason
  std::size_t nan_expected = 0, nan_got = 0, inf_expected = 0, inf_got = 0, zero = 0, subnormal = 0;
  double max_ratio = 0;    // over specified, finite elements: |y_pre - r| / E
  double sensitivity = 0;  // largest E / largest |y| of an output: how much a case amplifies roundings
  WrongElement worst;      // of the wrong (or beyond-tight) elements
  // Attributes of a finding, not part of its key (docs/oracle.md).
  ErrorKind kind = ErrorKind::none;
  double const_ratio = 0;  // of kind const_ratio: y / r
  ErrorPlace location = ErrorPlace::none;
  std::vector<std::string> shape_class;  // per dim of the tensor: "1", "<B", "multiple", "remainder"
};

}  // namespace warpfuzz
