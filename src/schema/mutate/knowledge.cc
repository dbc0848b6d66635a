// What the mutator has learned from executions.
#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "schema/dims.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz {

template <class T>
void Recurring<T>::learn(T v) {
  const auto at = std::find(values_.begin(), values_.end(), v);
  if (at != values_.end()) {
    std::uint32_t& hits = hits_[static_cast<std::size_t>(at - values_.begin())];
    total_ += hits < kMostHits;
    hits += hits < kMostHits;
    return;
  }
  if (values_.size() < kCapacity) {
    values_.push_back(v);
    hits_.push_back(1);
    ++total_;
    return;
  }
  // The oldest goes, unless it has been met often: then it loses half of that and the next one is looked at.
  for (;; next_ = (next_ + 1) % kCapacity) {
    std::uint32_t& hits = hits_[next_];
    if (hits > 1) {
      total_ -= hits - hits / 2;
      hits /= 2;
      continue;
    }
    values_[next_] = v;
    next_ = (next_ + 1) % kCapacity;
    return;
  }
}

template <class T>
std::uint32_t Recurring<T>::hits(T v) const {
  const auto at = std::find(values_.begin(), values_.end(), v);
  return at == values_.end() ? 0 : hits_[static_cast<std::size_t>(at - values_.begin())];
}

template <class T>
T Recurring<T>::pick(std::uint32_t random) const {
  std::uint32_t left = random % total_;
  std::size_t i = 0;
  while (left >= hits_[i]) left -= hits_[i++];
  return values_[i];
}

template class Recurring<std::uint32_t>;
template class Recurring<double>;

void Knowledge::learn_tile(std::uint32_t tile) {
  if (tile < 2 || tile > kMaxDimValue || std::find(tiles_.begin(), tiles_.end(), tile) != tiles_.end()) return;
  if (tiles_.size() < kTiles) {
    tiles_.push_back(tile);
    return;
  }
  tiles_[next_tile_] = tile;
  next_tile_ = (next_tile_ + 1) % kTiles;
}

bool Knowledge::counts_up(std::uint32_t fixed, std::uint32_t moving) {
  Run& r = runs_[mix64(fixed) % runs_.size()];
  const std::uint32_t step = moving - r.moving;
  r.length = r.fixed == fixed && step == r.step ? r.length + 1 : 0;
  r = {fixed, moving, step, r.length};
  return r.length >= 2;
}

void Knowledge::learn_compare(std::uint64_t a, std::uint64_t b) {
  if (a == b || a > kMaxDimValue || b > kMaxDimValue) return;
  const Pair pair{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  const bool a_counts = counts_up(pair.b, pair.a), b_counts = counts_up(pair.a, pair.b);
  if (a_counts || b_counts) return;
  std::uint16_t& slot = pair_slots_[mix64(a << 32 | b) % kSlots];
  if (slot < pairs_.size() && pairs_[slot].a == pair.a && pairs_[slot].b == pair.b) return;
  if (pairs_.size() < kPairs) pairs_.push_back({});
  slot = static_cast<std::uint16_t>(next_pair_);
  pairs_[next_pair_] = pair;
  next_pair_ = (next_pair_ + 1) % kPairs;
  if (a > 0) operands_.learn(pair.a);
  if (b > 0) operands_.learn(pair.b);
}

void Knowledge::learn_float_compare(double a, double b) {
  if (!(a < b) && !(a > b)) return;
  const std::uint64_t h = hash_combine(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) | 1;
  std::uint64_t& slot = float_slots_[h >> 32 & (kSlots - 1)];
  if (slot == h) return;
  slot = h;
  for (double v : {a, b}) {
    const double magnitude = std::fabs(v);
    if (magnitude > 0 && magnitude <= info(DType::f16).max && round_to(DType::f16, v) == v) floats_.learn(v);
  }
}

}  // namespace warpfuzz
