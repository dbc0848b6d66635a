// Dim codes and the repair of dims.
#include "schema/dims.h"

#include <algorithm>
#include <array>
#include <limits>

#include "schema/target_code.h"

namespace warpfuzz {
namespace {

constexpr std::array<std::uint16_t, 33> kBoundary{1,   2,   3,    7,    8,    15,   16,   17,   31,   32,   33,
                                                  63,  64,  65,   100,  127,  128,  129,  255,  256,  257,  511,
                                                  512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 4097};

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}
std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r;
  return __builtin_add_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}

void derive(const Schema& s, Dims& dims) {
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (s.dims[i].derive)
      dims[i] = in_target_code("the derived dim", s.dims[i].name.c_str(), [&] { return s.dims[i].derive(dims); });
}
void clamp_all(const Schema& s, Dims& dims) {
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (!s.dims[i].derive) dims[i] = clamp_dim(s.dims[i], dims[i]);
  for (std::size_t i = s.dims.size(); i < dims.size(); ++i) dims[i] = 0;
  derive(s, dims);
}
// Ranges and constraints until neither changes anything.
bool settle(const Schema& s, Dims& dims) {
  clamp_all(s, dims);
  if (s.constraints.empty()) return true;
  for (int round = 0; round < 16; ++round) {
    const Dims before = dims;
    for (const Constraint& c : s.constraints)
      if (c.repair) in_target_code("the repair of the constraint", c.text.c_str(), [&] { c.repair(dims); });
    clamp_all(s, dims);
    if (dims == before)
      return std::all_of(s.constraints.begin(), s.constraints.end(), [&](const Constraint& c) {
        return !c.holds || in_target_code("the constraint", c.text.c_str(), [&] { return c.holds(dims); });
      });
  }
  return false;
}

bool within_caps(const Schema& s, const Dims& dims) {
  return total_elements(s, dims) <= s.max_elements && total_work(s, dims) <= s.max_work;
}

// The largest dim that can still be lowered; -1 where there is none.
int largest_movable(const Schema& s, const Dims& dims, const std::array<bool, kMaxDims>& stuck) {
  int largest = -1;
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (!s.dims[i].derive && !stuck[i] && dims[i] > smallest_dim(s.dims[i]) &&
        (largest < 0 || dims[i] > dims[static_cast<std::size_t>(largest)]))
      largest = static_cast<int>(i);
  return largest;
}

}  // namespace

std::span<const std::uint16_t> boundary_table() { return kBoundary; }

std::uint32_t smallest_dim(const DimSpec& d) {
  const std::uint32_t m = std::max(1u, d.multiple_of);
  return static_cast<std::uint32_t>((std::uint64_t{d.min} + m - 1) / m * m);
}
std::uint32_t largest_dim(const DimSpec& d) {
  const std::uint32_t m = std::max(1u, d.multiple_of);
  return std::max(d.max / m * m, smallest_dim(d));
}
std::uint32_t clamp_dim(const DimSpec& d, std::uint32_t value) {
  const std::uint32_t m = std::max(1u, d.multiple_of), v = std::min(value, d.max);
  return std::max(v - v % m, smallest_dim(d));
}

std::uint32_t dim_from_code(const DimSpec& d, std::uint16_t code) {
  const std::uint32_t low = code & 0x7fff;
  if (code & kRawDim) return clamp_dim(d, 1 + low % std::max(1u, d.max));
  if (code == kZeroDim && d.min == 0) return 0;
  return clamp_dim(d, kBoundary[low % kBoundary.size()]);
}
std::uint16_t dim_to_code(const DimSpec& d, std::uint32_t value) {
  if (d.derive) return 0;
  if (value == 0) return kZeroDim;
  const auto at = std::find(kBoundary.begin(), kBoundary.end(), value);
  if (at != kBoundary.end()) return static_cast<std::uint16_t>(at - kBoundary.begin());
  return static_cast<std::uint16_t>(kRawDim | (value - 1));
}

std::uint64_t tensor_elements(const Schema& s, const Dims& dims, int tensor) {
  std::uint64_t n = 1;
  for (int entry : s.tensors[static_cast<std::size_t>(tensor)].shape) n = multiply(n, extent(dims, entry));
  return n;
}
std::uint64_t total_elements(const Schema& s, const Dims& dims) {
  std::uint64_t n = 0;
  for (std::size_t t = 0; t < s.tensors.size(); ++t) n = add(n, tensor_elements(s, dims, static_cast<int>(t)));
  return n;
}
std::uint64_t total_work(const Schema& s, const Dims& dims) {
  return s.work ? in_target_code("the work of op", s.op.c_str(), [&] { return s.work(dims); })
                : total_elements(s, dims);
}

bool fit_dims(const Schema& s, Dims& dims) {
  if (!settle(s, dims)) return false;
  // 8 dims of 15 bits: every halving that takes effect lowers one of them; a constraint may undo it, hence a limit.
  std::array<bool, kMaxDims> stuck{};
  for (int step = 0; step < 200 && !within_caps(s, dims); ++step) {
    const int largest = largest_movable(s, dims, stuck);
    if (largest < 0) return false;
    const auto i = static_cast<std::size_t>(largest);
    const Dims before = dims;
    dims[i] = clamp_dim(s.dims[i], dims[i] / 2);
    if (!settle(s, dims) || dims == before) {
      dims = before;
      stuck[i] = true;  // a constraint holds it up: lower the others first
    } else {
      stuck.fill(false);
    }
  }
  return within_caps(s, dims);
}

void make_room(const Schema& s, Dims& dims, std::size_t keep) {
  std::array<bool, kMaxDims> stays{};
  stays[keep] = true;
  for (int step = 0; step < 200 && !within_caps(s, dims); ++step) {
    const int largest = largest_movable(s, dims, stays);
    if (largest < 0) return;
    const auto i = static_cast<std::size_t>(largest);
    dims[i] = clamp_dim(s.dims[i], dims[i] / 2);
    derive(s, dims);
  }
}

std::uint32_t largest_that_fits(const Schema& s, std::size_t dim) {
  Dims dims{};
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    if (!s.dims[i].derive) dims[i] = smallest_dim(s.dims[i]);
  std::uint32_t fits = smallest_dim(s.dims[dim]), beyond = largest_dim(s.dims[dim]) + 1;
  while (beyond - fits > 1) {
    dims[dim] = fits + (beyond - fits) / 2;
    derive(s, dims);
    (within_caps(s, dims) ? fits : beyond) = dims[dim];
  }
  return clamp_dim(s.dims[dim], fits);
}

}  // namespace warpfuzz
