// Barriers with reductions, shuffles of every type, votes, matches, reductions of a warp.
#include "kernel_case.h"

namespace warpfuzz::cpu {
namespace {

class Sync : public SurfaceTest {};

TEST_F(Sync, BarrierReductions) {
  std::vector<int> count(96), all(96), any(96), none(96);
  run(1, 96, [&] {
    const int t = int(threadIdx.x);
    count[t] = __syncthreads_count(t % 3 == 0 ? -7 : 0);
    all[t] = __syncthreads_and(t < 95);
    any[t] = __syncthreads_or(t == 50 ? 4 : 0);
    none[t] = __syncthreads_or(0);
  });
  EXPECT_THAT(count, ::testing::Each(32));
  EXPECT_THAT(all, ::testing::Each(0));
  EXPECT_THAT(any, ::testing::Each(::testing::Ne(0)));
  EXPECT_THAT(none, ::testing::Each(0));
}

// Every variant against its definition, for every lane and several widths.
template <class T, class Make, class Same>
void check_shuffles(Make make, Same same) {
  for (int width : {32, 16, 8, 4, 2, 1}) {
    std::vector<T> from(32), up(32), down(32), exchanged(32);
    run(1, 32, [&] {
      const int t = int(threadIdx.x);
      from[t] = __shfl_sync(0xffffffffu, make(t), 5, width);
      up[t] = __shfl_up_sync(0xffffffffu, make(t), 3u, width);
      down[t] = __shfl_down_sync(0xffffffffu, make(t), 3u, width);
      exchanged[t] = __shfl_xor_sync(0xffffffffu, make(t), 6, width);
    });
    for (int t = 0; t < 32; ++t) {
      const int segment = t / width * width, end = segment + width;
      EXPECT_TRUE(same(from[t], make(segment + 5 % width))) << width << " lane " << t;
      EXPECT_TRUE(same(up[t], make(t - 3 >= segment ? t - 3 : t))) << width << " lane " << t;
      EXPECT_TRUE(same(down[t], make(t + 3 < end ? t + 3 : t))) << width << " lane " << t;
      EXPECT_TRUE(same(exchanged[t], make((t ^ 6) < end ? t ^ 6 : t))) << width << " lane " << t;
    }
  }
}
template <class T>
void check_plain_shuffles() {
  check_shuffles<T>([](int lane) { return static_cast<T>(T(1000) * static_cast<T>(lane + 1) + static_cast<T>(7)); },
                    [](T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; });
}

TEST_F(Sync, ShufflesOfScalars) {
  check_plain_shuffles<int>();
  check_plain_shuffles<unsigned int>();
  check_plain_shuffles<long>();
  check_plain_shuffles<unsigned long>();
  check_plain_shuffles<long long>();
  check_plain_shuffles<unsigned long long>();
  check_plain_shuffles<float>();
  check_plain_shuffles<double>();
}
TEST_F(Sync, ShufflesKeepAllBitsOf64) {
  check_shuffles<long long>([](int lane) { return -(0x123456789abcdefll * (lane + 1)); },
                            [](long long a, long long b) { return a == b; });
  check_shuffles<double>([](int lane) { return 1.0 / (lane + 3); }, [](double a, double b) { return a == b; });
}
TEST_F(Sync, ShufflesOfHalves) {
  const auto same = [](auto a, auto b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  check_shuffles<__half>([](int lane) { return __float2half(0.5f * float(lane)); }, same);
  check_shuffles<__half2>([](int lane) { return __floats2half2_rn(float(lane), -float(lane)); }, same);
  check_shuffles<__nv_bfloat16>([](int lane) { return __float2bfloat16(0.5f * float(lane)); }, same);
  check_shuffles<__nv_bfloat162>([](int lane) { return __floats2bfloat162_rn(float(lane), -float(lane)); }, same);
}
TEST_F(Sync, ShuffleOfANarrowMask) {
  std::vector<int> got(32, -1);
  run(1, 32, [&] {
    const int t = int(threadIdx.x);
    if (t < 16) got[t] = __shfl_xor_sync(0x0000ffffu, t, 1);
    else got[t] = __shfl_xor_sync(0xffff0000u, t, 2);
  });
  for (int t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? t ^ 1 : t ^ 2);
  EXPECT_EQ(status().fault, FaultClass::none);
}
TEST_F(Sync, WidthThatIsNoPowerOfTwoIsAFault) {
  int line = 0;
  run(1, 32, [&] {
    line = __LINE__ + 1;
    (void)__shfl_sync(0xffffffffu, 1, 0, 12);
  });
  EXPECT_EQ(status().fault, FaultClass::divergence);
  EXPECT_THAT(status().message, ::testing::HasSubstr("width 12"));
  EXPECT_EQ(status().place.line, line);
}

TEST_F(Sync, Votes) {
  std::vector<unsigned> ballot(64), mask(64);
  std::vector<int> any(64), all(64), uniform(64), active(64);
  run(1, 64, [&] {
    const int t = int(threadIdx.x), warp = t / 32;
    ballot[t] = __ballot_sync(0xffffffffu, t % 2 ? 8 : 0);
    any[t] = __any_sync(0xffffffffu, warp == 1 && t == 40);
    all[t] = __all_sync(0xffffffffu, warp == 1 || t != 4);
    uniform[t] = __uni_sync(0xffffffffu, warp == 0 ? 1 : t % 2);
    mask[t] = __activemask();
    __syncwarp();
    if (t % 32 < 8) active[t] = __popc(__activemask());
  });
  EXPECT_THAT(ballot, ::testing::Each(0xaaaaaaaau));
  EXPECT_THAT(mask, ::testing::Each(0xffffffffu));
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(any[t] != 0, t >= 32);
    EXPECT_EQ(all[t] != 0, t >= 32);
    EXPECT_EQ(uniform[t] != 0, t < 32);
    EXPECT_EQ(active[t], t % 32 < 8 ? 8 : 0);
  }
}

template <class T>
void check_matches(T a, T b) {
  std::vector<unsigned> any(32), all_same(32), all_different(32);
  std::vector<int> same(32), different(32);
  run(1, 32, [&] {
    const int t = int(threadIdx.x);
    any[t] = __match_any_sync(0xffffffffu, t % 4 == 0 ? a : b);
    all_same[t] = __match_all_sync(0xffffffffu, a, &same[t]);
    all_different[t] = __match_all_sync(0xffffffffu, t == 9 ? a : b, &different[t]);
  });
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(any[t], t % 4 == 0 ? 0x11111111u : 0xeeeeeeeeu);
    EXPECT_EQ(all_same[t], 0xffffffffu);
    EXPECT_NE(same[t], 0);
    EXPECT_EQ(all_different[t], 0u);
    EXPECT_EQ(different[t], 0);
  }
}
TEST_F(Sync, Matches) {
  check_matches<int>(-1, 1);
  check_matches<unsigned>(0u, 0x80000000u);
  check_matches<long long>(1ll << 40, 1ll << 41);
  check_matches<unsigned long long>(~0ull, 0);
  check_matches<long>(2, 3);
  check_matches<float>(1.0f, 1.5f);
  check_matches<double>(0.1, 0.2);
}

TEST_F(Sync, WarpReductions) {
  const auto value = [](int t) { return (t * 37 % 32 - 16) * 100000000; };
  int sum = 0, low = INT_MAX, high = INT_MIN;
  unsigned usum = 0, ulow = UINT_MAX, uhigh = 0, ones = ~0u, some = 0, odd = 0;
  for (int t = 0; t < 32; ++t) {
    sum = int(unsigned(sum) + unsigned(value(t))), low = std::min(low, value(t)), high = std::max(high, value(t));
    const unsigned u = unsigned(value(t));
    usum += u, ulow = std::min(ulow, u), uhigh = std::max(uhigh, u), ones &= u | 1, some |= u, odd ^= u;
  }
  std::vector<int> bad(32, 0);
  run(1, 32, [&] {
    const int t = int(threadIdx.x), v = value(t);
    bad[t] += __reduce_add_sync(0xffffffffu, v) != sum;
    bad[t] += __reduce_min_sync(0xffffffffu, v) != low;
    bad[t] += __reduce_max_sync(0xffffffffu, v) != high;
    bad[t] += __reduce_add_sync(0xffffffffu, unsigned(v)) != usum;
    bad[t] += __reduce_min_sync(0xffffffffu, unsigned(v)) != ulow;
    bad[t] += __reduce_max_sync(0xffffffffu, unsigned(v)) != uhigh;
    bad[t] += __reduce_and_sync(0xffffffffu, unsigned(v) | 1u) != ones;
    bad[t] += __reduce_or_sync(0xffffffffu, unsigned(v)) != some;
    bad[t] += __reduce_xor_sync(0xffffffffu, unsigned(v)) != odd;
  });
  EXPECT_THAT(bad, ::testing::Each(0));
  EXPECT_LT(low, 0);
}

TEST_F(Sync, NamedBarriers) {
  run(1, 64, [] { __barrier_sync(0); });
  EXPECT_EQ(status().fault, FaultClass::none);
  run(1, 64, [] { __barrier_sync(3); });
  EXPECT_EQ(status().fault, FaultClass::unsupported);
  EXPECT_THAT(status().message, ::testing::HasSubstr("__barrier_sync(3)"));
}

TEST_F(Sync, FencesOrderNothingButCompile) {
  run(1, 2, [] {
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    __syncwarp(3u);
  });
  EXPECT_EQ(status().fault, FaultClass::none);
}

}  // namespace
}  // namespace warpfuzz::cpu
