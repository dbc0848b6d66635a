// What the mutator has learned from executions: bounded, without duplicates, newest in place of oldest.
#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "schema/dims.h"
#include "schema/mutate.h"

namespace warpfuzz {
namespace {

constexpr std::size_t kTiles = 32, kOperands = 64, kPairs = 128, kFloats = 64;
constexpr std::uint32_t kMostHits = 64;

template <class T>
void put(std::vector<T>& ring, std::size_t& next, std::size_t capacity, T v) {
  if (ring.size() < capacity) {
    ring.push_back(v);
    return;
  }
  ring[next] = v;
  next = (next + 1) % capacity;
}

}  // namespace

void Knowledge::learn_tile(std::uint32_t tile) {
  if (tile < 2 || tile > kMaxDimValue || std::find(tiles_.begin(), tiles_.end(), tile) != tiles_.end()) return;
  put(tiles_, next_tile_, kTiles, tile);
}

void Knowledge::learn_operand(std::uint32_t v) {
  if (v == 0 || std::find(operands_.begin(), operands_.end(), v) != operands_.end()) return;
  put(operands_, next_operand_, kOperands, v);
}

void Knowledge::learn_compare(std::uint64_t a, std::uint64_t b) {
  if (a == b || a > kMaxDimValue || b > kMaxDimValue) return;
  const std::uint64_t h = mix64(a << 32 | b) | 1;
  std::uint64_t& slot = seen_[h >> 32 & (seen_.size() - 1)];
  if (slot == h) return;
  slot = h;
  const Pair pair{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  if (std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& p) { return p.a == pair.a && p.b == pair.b; })) return;
  put(pairs_, next_pair_, kPairs, pair);
  learn_operand(pair.a);
  learn_operand(pair.b);
}

void Knowledge::learn_float(double v) {
  const double magnitude = std::fabs(v);
  if (!(magnitude > 0 && magnitude <= info(DType::f16).max) || round_to(DType::f16, v) != v) return;
  const auto at = std::find(floats_.begin(), floats_.end(), v);
  if (at != floats_.end()) {
    std::uint32_t& hits = float_hits_[static_cast<std::size_t>(at - floats_.begin())];
    hits = std::min(hits + 1, kMostHits);
    return;
  }
  if (floats_.size() < kFloats) {
    floats_.push_back(v);
    float_hits_.push_back(1);
    return;
  }
  // The oldest goes, unless it has been met often: then it loses half of that and the next one is looked at.
  for (std::size_t tries = 0; tries < 8 * kFloats; ++tries) {
    const std::size_t i = next_float_;
    next_float_ = (next_float_ + 1) % kFloats;
    if (float_hits_[i] > 1) {
      float_hits_[i] /= 2;
      continue;
    }
    floats_[i] = v;
    float_hits_[i] = 1;
    return;
  }
}

void Knowledge::learn_float_compare(double a, double b) {
  if (!(a != b)) return;  // NaN equals nothing and is filtered below
  const std::uint64_t h = hash_combine(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) | 1;
  std::uint64_t& slot = seen_[h >> 32 & (seen_.size() - 1)];
  if (slot == h) return;
  slot = h;
  learn_float(a);
  learn_float(b);
}

std::size_t Knowledge::pick_float(std::uint32_t random) const {
  std::uint32_t total = 0;
  for (std::uint32_t hits : float_hits_) total += hits;
  std::uint32_t left = total ? random % total : 0;
  for (std::size_t i = 0; i < float_hits_.size(); ++i) {
    if (left < float_hits_[i]) return i;
    left -= float_hits_[i];
  }
  return 0;
}

}  // namespace warpfuzz
