// Hash of a byte string: four independent lanes of eight bytes, because whole output tensors pass through here.
#include "numeric/hash.h"

#include <cstring>

namespace warpfuzz {
namespace {

constexpr std::uint64_t kA = 0x9fb21c651e98df25ull, kB = 0xd6e8feb86659fd93ull;

// Little-endian whatever the machine, so that the hash of a file is the same everywhere.
inline std::uint64_t load64(const unsigned char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}
inline std::uint64_t step(std::uint64_t h, std::uint64_t v) {
  h ^= v * kA;
  return (h << 29 | h >> 35) * kB;
}

}  // namespace

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t lane[4] = {mix64(seed), mix64(seed + 1), mix64(seed + 2), mix64(seed + 3)};
  std::size_t left = size;
  for (; left >= 32; p += 32, left -= 32)
    for (int i = 0; i < 4; ++i) lane[i] = step(lane[i], load64(p + 8 * i));
  int i = 0;
  for (; left >= 8; p += 8, left -= 8, ++i) lane[i] = step(lane[i], load64(p));
  if (left > 0) {
    unsigned char rest[8] = {};
    std::memcpy(rest, p, left);
    lane[i] = step(lane[i], load64(rest));
  }
  std::uint64_t h = mix64(size);  // the length separates "a" from "a\0"
  for (std::uint64_t v : lane) h = hash_combine(h, v);
  return h;
}

}  // namespace warpfuzz
