// The structure-aware mutator and crossover. State learned over time (tiles, compare operands) lives here alone: it
// steers what is tried next and never decides a verdict or a feature.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "schema/codec.h"

namespace warpfuzz {

class Knowledge {
 public:
  struct Pair { std::uint32_t a, b; };

  void learn_tile(std::uint32_t tile);                       // blockDim per axis, threads a block, static shared extents
  void learn_compare(std::uint64_t a, std::uint64_t b);      // integer operands of one comparison in the kernel
  void learn_float_compare(double a, double b);              // kept where an override can say the value exactly
  std::span<const std::uint32_t> tiles() const { return tiles_; }
  std::span<const std::uint32_t> operands() const { return operands_; }
  std::span<const Pair> pairs() const { return pairs_; }     // operands that met and differed
  std::span<const double> float_operands() const { return floats_; }
  // Index of a float operand for a random number: those that met many different values are drawn more often, since
  // a constant of the kernel meets every element and an element meets few constants.
  std::size_t pick_float(std::uint32_t random) const;
  bool enabled = true;                                       // false: the ablation without learned tiles and operands

 private:
  void learn_operand(std::uint32_t v);
  void learn_float(double v);

  std::vector<std::uint32_t> tiles_, operands_;              // small, newest replace oldest, no duplicates
  std::vector<Pair> pairs_;
  std::vector<double> floats_;
  std::vector<std::uint32_t> float_hits_;
  std::size_t next_operand_ = 0, next_float_ = 0, next_pair_ = 0, next_tile_ = 0;
  std::array<std::uint64_t, 512> seen_{};                    // hashes of recent comparisons, to learn each once
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
