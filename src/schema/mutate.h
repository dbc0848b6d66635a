// The structure-aware mutator and crossover. State learned over time (tiles, compare operands) lives here alone: it
// steers what is tried next and never decides a verdict or a feature.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "schema/codec.h"

namespace warpfuzz {

class Knowledge {
 public:
  void learn_tile(std::uint32_t tile);                       // blockDim per axis, threads a block, static shared extents
  void learn_compare(std::uint64_t a, std::uint64_t b);      // integer operands of one comparison in the kernel
  void learn_float_compare(double a, double b);
  std::span<const std::uint32_t> tiles() const { return tiles_; }
  std::span<const std::uint32_t> operands() const { return operands_; }
  std::span<const double> float_operands() const { return floats_; }
  bool enabled = true;                                       // false: the ablation without learned tiles and operands

 private:
  std::vector<std::uint32_t> tiles_, operands_;              // small, newest replace oldest, no duplicates
  std::vector<double> floats_;
  std::size_t next_operand_ = 0, next_float_ = 0;
};

// Both write at most max_size bytes to out and return the size. Pure functions of their arguments.
std::size_t mutate(const Schema& s, const Knowledge& k, std::span<const std::uint8_t> in, std::uint64_t seed,
                   std::uint8_t* out, std::size_t max_size);
std::size_t crossover(const Schema& s, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                      std::uint64_t seed, std::uint8_t* out, std::size_t max_size);
// Uniformly random bytes: header and slots full, 0-3 overrides. The baseline that guidance is measured against.
Bytes random_case(std::uint64_t seed);

// Simpler versions of c, most promising first, in the order of docs/encoding.md (drop overrides, flags, layouts, second call; smaller
// dims; simpler fills; amp and rate; seed; dtype). Empty when nothing simpler is left.
std::vector<TestCase> shrink_candidates(const Schema& s, const TestCase& c);
// A total preorder: smaller means simpler (elements, then encoded length and byte sum).
std::uint64_t complexity(const Schema& s, const TestCase& c);

}  // namespace warpfuzz
