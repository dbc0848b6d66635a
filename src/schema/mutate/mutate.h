// The structure-aware mutator and crossover. State learned over time (tiles, compare operands) lives here alone: it
// steers what is tried next and never decides a verdict or a feature.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "schema/codec/codec.h"

namespace warpfuzz {

// A bounded set of values that counts how often each was learned. A value that recurs outlives the others and is drawn
// more often: a constant of the kernel meets every dim and element, those meet few constants.
template <class T>
class Recurring {
 public:
  void learn(T v);
  std::span<const T> values() const { return values_; }
  std::uint32_t hits(T v) const;       // 0 where unknown
  T pick(std::uint32_t random) const;  // weighted by hits; the set is not empty
  bool empty() const { return values_.empty(); }

 private:
  static constexpr std::size_t kCapacity = 128;
  static constexpr std::uint32_t kMostHits = 256;
  std::vector<T> values_;
  std::vector<std::uint32_t> hits_;
  std::uint32_t total_ = 0;
  std::size_t next_ = 0;
};

class Knowledge {
 public:
  struct Pair {
    std::uint32_t a = 0, b = 0;
  };

  void learn_tile(std::uint32_t tile);                   // blockDim per axis, threads a block, static shared extents
  void learn_compare(std::uint64_t a, std::uint64_t b);  // integer operands of one comparison in the kernel
  void learn_float_compare(double a, double b);          // kept where an override can say the value exactly
  std::span<const std::uint32_t> tiles() const { return tiles_; }
  std::span<const std::uint32_t> operands() const { return operands_.values(); }
  std::span<const double> float_operands() const { return floats_.values(); }
  std::span<const Pair> pairs() const { return pairs_; }  // operands that met and differed
  const Recurring<std::uint32_t>& recurring_operands() const { return operands_; }
  const Recurring<double>& recurring_floats() const { return floats_; }
  bool enabled = true;  // false: the ablation without learned tiles and operands

 private:
  static constexpr std::size_t kTiles = 32, kPairs = 512, kSlots = 2048;
  // A loop counter or thread index against its limit: 0 < n, 1 < n, 2 < n, ... Only the first few are worth keeping.
  struct Run {
    std::uint32_t fixed = 0, moving = 0, step = 0, length = 0;
  };
  bool counts_up(std::uint32_t fixed, std::uint32_t moving);

  std::vector<std::uint32_t> tiles_;  // newest replace oldest, no duplicates; the same for pairs
  std::vector<Pair> pairs_;
  std::size_t next_tile_ = 0, next_pair_ = 0;
  std::array<std::uint16_t, kSlots> pair_slots_{};   // where a pair lies, by its hash
  std::array<Run, 64> runs_{};                       // by the hash of the operand that stays
  std::array<std::uint64_t, kSlots> float_slots_{};  // recent float comparisons, to count each once
  Recurring<std::uint32_t> operands_;
  Recurring<double> floats_;
};

// Both write at most max_size bytes to out and return the size. Pure functions of their arguments.
std::size_t mutate(const Schema& s, const Knowledge& k, std::span<const std::uint8_t> in, std::uint64_t seed,
                   std::uint8_t* out, std::size_t max_size);
std::size_t crossover(const Schema& s, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                      std::uint64_t seed, std::uint8_t* out, std::size_t max_size);
// A random case, made small enough that it costs little in most draws. `first`: one of the first cases of a campaign, which
// may cost more, since they are few and nothing is known yet that smaller ones could add to.
std::size_t fresh_case(const Schema& s, std::uint64_t seed, bool first, std::uint8_t* out, std::size_t max_size);
// Uniformly random bytes: header and slots full, 0-3 overrides. The baseline that guidance is measured against.
Bytes random_case(std::uint64_t seed);

// An element of a tensor; no tensor: none is known.
struct Spot {
  int tensor = -1;
  std::vector<std::uint32_t> at;
};
// Simpler versions of c, most promising first, in the order of docs/encoding.md (whole numbers; drop overrides, flags, layouts, second call; the
// slice of the wrong element alone; smaller dims; simpler fills; amp and rate; seed; dtype). Empty when nothing simpler is left.
std::vector<TestCase> shrink_candidates(const Schema& s, const TestCase& c, const Spot& wrong = {});
// A total preorder: smaller means simpler (elements, then encoded length and byte sum).
std::uint64_t complexity(const Schema& s, const TestCase& c);

}  // namespace warpfuzz
