// What a set of wrong elements looks like: kind of error, place in the tensor, shape class. Shown and searchable; no
// part of a finding's key.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/op.h"
#include "oracle/verdict.h"

namespace warpfuzz {

// In the order in which one names the kind of the whole set. The sign of a zero says the least: where values are wrong too,
// those are the bug.
enum class Wrong : std::uint8_t {
  unwritten,
  nan_unexpected,
  inf_unexpected,
  nan_missing,
  inf_missing,
  index,
  value,
  sign
};

struct WrongSet {
  int tensor = -1;
  std::vector<std::uint32_t> shape;
  std::vector<std::uint32_t> elements;  // row-major, ascending
  std::vector<double> got;              // per entry of elements
  Wrong first = Wrong::value;           // the smallest kind among them
  double max_ratio = 0;
  bool all_outputs_zero = false;
};

// ratio: y/r of const_ratio.
ErrorKind kind_of(const WrongSet& w, const Reference& ref, DType out, double& ratio);
ErrorPlace location_of(const WrongSet& w, std::span<const std::uint32_t> tiles);
// Of one dim against all tiles together: "1", "<B", "multiple", "remainder".
std::string shape_class_of(std::uint32_t dim, std::span<const std::uint32_t> tiles);

}  // namespace warpfuzz
