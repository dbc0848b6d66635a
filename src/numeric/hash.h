// The coordinate hash: every random element is a pure function of (seed, tensor, coordinates), so that an element
// keeps its value when a dim of the tensor shrinks. mix64 is the finalizer of splitmix64 (public domain constants).
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpfuzz {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
constexpr std::uint64_t hash_combine(std::uint64_t h, std::uint64_t v) { return mix64(h ^ mix64(v)); }
// 64-bit hash of a byte string; stable over builds and machines.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

// A small deterministic generator for everything that draws a sequence (mutator, permutations).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix64(state_++); }
  std::uint32_t below(std::uint32_t n) { return n ? static_cast<std::uint32_t>((next() >> 32) * n >> 32) : 0; }
  bool chance(std::uint32_t in, std::uint32_t of) { return below(of) < in; }

 private:
  std::uint64_t state_;
};

}  // namespace warpfuzz
