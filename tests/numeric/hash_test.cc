// The hashes are part of stored cases: their values are pinned.
#include "numeric/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

namespace warpfuzz {
namespace {

TEST(Hash, Mix64IsSplitmix) {
  // The first outputs of splitmix64 for the seed 1234567.
  EXPECT_EQ(mix64(1234567), 6457827717110365317ull);
  EXPECT_EQ(mix64(1234567 + 0x9e3779b97f4a7c15ull), 3203168211198807973ull);
}

TEST(Hash, BytesArePinned) {
  std::vector<unsigned char> data(100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7 + 1);
  EXPECT_EQ(hash_bytes(nullptr, 0), 0x4b936728a33c0107ull);
  EXPECT_EQ(hash_bytes(data.data(), 7), 0xf646e9d557d98860ull);
  EXPECT_EQ(hash_bytes(data.data(), 100), 0x59b62e7907a68a8full);
  EXPECT_EQ(hash_bytes(data.data(), 100, 5), 0xfab340d68268352ull);
}

TEST(Hash, EveryBitAndTheLengthMatter) {
  std::vector<unsigned char> data(77);
  std::set<std::uint64_t> seen{hash_bytes(data.data(), data.size())};
  std::size_t hashes = 1;
  for (std::size_t i = 0; i < data.size(); ++i)
    for (int bit = 0; bit < 8; ++bit, ++hashes) {
      data[i] ^= static_cast<unsigned char>(1 << bit);
      seen.insert(hash_bytes(data.data(), data.size()));
      data[i] ^= static_cast<unsigned char>(1 << bit);
    }
  for (std::size_t n = 0; n < data.size(); ++n, ++hashes) seen.insert(hash_bytes(data.data(), n));
  EXPECT_EQ(seen.size(), hashes);
}

TEST(Hash, FlippedBitsSpread) {
  unsigned char data[40] = {};
  const std::uint64_t base = hash_bytes(data, sizeof data);
  int total = 0;
  for (unsigned char& byte : data) {
    byte = 1;
    total += std::popcount(base ^ hash_bytes(data, sizeof data));
    byte = 0;
  }
  EXPECT_NEAR(total / 40.0, 32.0, 3.0);
}

TEST(Rng, BelowStaysBelowAndReachesAll) {
  Rng rng(1);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(rng.below(7));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(*seen.rbegin(), 6u);
  EXPECT_EQ(rng.below(0), 0u);
}

}  // namespace
}  // namespace warpfuzz
