// Device memory, shared memory and their poison.
#include <cmath>
#include <cstring>
#include <set>

#include "exec/launch.h"
#include "kernel_test.h"
#include "numeric/round.h"

namespace warpfuzz::cpu {
namespace {

using MemoryTest = ExecutorTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Poison, IsANanOfEveryFloatingTypeInVariantZero) {
  for (PoisonKind k : {PoisonKind::output, PoisonKind::workspace, PoisonKind::shared, PoisonKind::padding}) {
    for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      std::uint64_t bits = poison_bits(t, k, 0);
      EXPECT_TRUE(std::isnan(load_element(t, &bits))) << dtype_name(t);
      if (k == PoisonKind::output) {
        bits = poison_bits(t, k, 1);
        EXPECT_TRUE(std::isnan(load_element(t, &bits)));
      }
    }
    // A wider or narrower read of the same memory is a NaN too.
    std::uint64_t word = poison_bits(DType::f64, k, 0);
    for (int i = 0; i < 4; ++i) {
      std::uint16_t piece = static_cast<std::uint16_t>(word >> 16 * i);
      EXPECT_TRUE(std::isnan(f16_value(piece)));
      EXPECT_TRUE(std::isnan(bf16_value(piece)));
    }
  }
}

TEST(Poison, DiffersByKindAndVariant) {
  for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64, DType::u8}) {
    std::set<std::uint64_t> seen;
    for (PoisonKind k : {PoisonKind::output, PoisonKind::workspace, PoisonKind::shared, PoisonKind::padding})
      for (int v : {0, 1}) seen.insert(poison_bits(t, k, v));
    EXPECT_EQ(seen.size(), 8u) << dtype_name(t);
    for (std::uint64_t bits : seen) EXPECT_EQ(dtype_size(t) == 8 ? 0 : bits >> 8 * dtype_size(t), 0u);
  }
}

TEST_F(MemoryTest, AllocationsArePoisonedAlignedAndAccountedFor) {
  for (int variant : {0, 1}) {
    start({}, variant);
    auto* a = static_cast<std::uint64_t*>(device_alloc(24));
    auto* b = static_cast<char*>(device_alloc(1000));
    ASSERT_TRUE(a && b);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
    EXPECT_EQ(a[2], poison_bits(DType::f64, PoisonKind::workspace, variant));
    EXPECT_TRUE(device_range(a, 24));
    EXPECT_FALSE(device_range(a, 25));
    EXPECT_FALSE(device_range(a - 1, 8));
    EXPECT_TRUE(device_range(b + 999, 1));
    EXPECT_EQ(device_free(a), 0);
    EXPECT_FALSE(device_range(a, 1));
    EXPECT_EQ(device_free(a), 1) << "twice";
    EXPECT_EQ(device_free(b + 1), 1) << "not the start";
    EXPECT_EQ(device_free(nullptr), 0);
    ExecStatus s = end_case();
    EXPECT_EQ(s.leaked_bytes, 1000u);
    begin_case({}, 0, true);
    EXPECT_FALSE(device_range(b, 1));
  }
}

TEST_F(MemoryTest, AddressesDependOnTheCaseAlone) {
  std::vector<void*> first, second;
  for (int i = 1; i < 20; ++i) first.push_back(device_alloc(static_cast<std::size_t>(i * 1000)));
  start({});
  for (int i = 1; i < 20; ++i) second.push_back(device_alloc(static_cast<std::size_t>(i * 1000)));
  EXPECT_EQ(first, second);
}

TEST_F(MemoryTest, DeviceMemoryEnds) {
  EXPECT_EQ(device_alloc(kDeviceMemory + 1), nullptr);
  EXPECT_EQ(device_alloc(~std::size_t{0}), nullptr);
  EXPECT_NE(device_alloc(100), nullptr);
  EXPECT_EQ(device_alloc(kDeviceMemory), nullptr) << "100 bytes are in use";
  void* all = device_alloc(kDeviceMemory - 100);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(device_alloc(1), nullptr);
  EXPECT_EQ(device_free(all), 0);
  for (int i = 0; i < 2200; ++i) {  // more than the addresses for small allocations
    void* p = device_alloc(1 << 20);
    ASSERT_NE(p, nullptr) << i;
    EXPECT_EQ(device_free(p), 0);
  }
  for (int i = 0; i < 20; ++i) {  // and more than those for large ones
    void* p = device_alloc(std::size_t{50} << 30);
    ASSERT_NE(p, nullptr) << i;
    static_cast<char*>(p)[std::size_t{50} << 29] = 1;
    EXPECT_EQ(device_free(p), 0);
  }
}

TEST_F(MemoryTest, LargeAllocationsReadAsPoisonAndAreCopiedWhereTheyAreWritten) {
  constexpr std::size_t bytes = (std::size_t{3} << 30) + 5;
  for (int variant : {0, 1}) {
    start({}, variant);
    const std::uint64_t poison = poison_bits(DType::f64, PoisonKind::workspace, variant);
    auto* a = static_cast<char*>(device_alloc(bytes));
    auto* b = static_cast<char*>(device_alloc(bytes));
    ASSERT_TRUE(a && b);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
    const auto word = [](const char* p) {
      std::uint64_t v;
      std::memcpy(&v, p, sizeof v);
      return v;
    };
    for (std::size_t at : {std::size_t{0}, LargeArena::kPiece, bytes / 2 & ~std::size_t{7}, bytes - 13})
      EXPECT_EQ(word(a + at), poison);
    std::memset(a, 7, 8);
    EXPECT_EQ(word(a), 0x0707070707070707u);
    EXPECT_EQ(word(a + LargeArena::kPiece), poison) << "another piece of the same allocation";
    EXPECT_EQ(word(b), poison) << "the same piece of another";
    EXPECT_TRUE(device_range(a, bytes));
    EXPECT_FALSE(device_range(a, bytes + 1));
    int tensor = 0;
    EXPECT_EQ(describe_address(a + bytes, 1, &tensor),
              "1 byte past the end of a launcher allocation of 3221225477 bytes");
    EXPECT_EQ(device_free(a), 0);
    EXPECT_EQ(end_case().leaked_bytes, bytes);
    begin_case({}, variant, true);
    EXPECT_EQ(device_alloc(bytes), a) << "addresses depend on the case alone";
    EXPECT_EQ(word(a), poison);
  }
}

TEST_F(MemoryTest, DynamicSharedIsPoisonedForEveryBlock) {
  for (int variant : {0, 1}) {
    start({}, variant);
    std::uint64_t poison = poison_bits(DType::f64, PoisonKind::shared, variant);
    EXPECT_EQ(run(
                  {3, 1, 1}, {4, 1, 1},
                  [&] {
                    auto* s = static_cast<std::uint64_t*>(warpfuzz_dynamic_shared);
                    EXPECT_EQ(s[tid()], poison);
                    s[tid()] = tid();
                  },
                  32),
              0);
    EXPECT_EQ(warpfuzz_dynamic_shared, nullptr);
    EXPECT_EQ(run(1, 1, [&] { EXPECT_EQ(warpfuzz_dynamic_shared, nullptr); }), 0);
  }
}

TEST_F(MemoryTest, StaticSharedIsOneArrayABlockAndPoisonedOnFirstTouch) {
  static SharedSlot half, wide;
  for (int round = 0; round < 3; ++round) {
    start({});
    EXPECT_EQ(run({4, 1, 1}, {64, 1, 1},
                  [&] {
                    auto* h = static_cast<std::uint16_t*>(shared_storage(half, 33 * 2, 2, 33, "half", HERE));
                    auto* f = static_cast<float*>(shared_storage(wide, 32 * 33 * 4, 4, 32 * 33, "wide", HERE));
                    EXPECT_NE(static_cast<void*>(h), static_cast<void*>(f));
                    if (tid() == 0) {
                      EXPECT_EQ(h[32], poison_bits(DType::f16, PoisonKind::shared, 0));
                      EXPECT_TRUE(std::isnan(f[1000]));
                      h[32] = 7;
                    }
                    sync_threads(HERE);
                    EXPECT_EQ(h[32], 7);
                  }),
              0);
    EXPECT_THAT(status().shared_extents, ElementsAre(33, 32 * 33));
  }
}

TEST_F(MemoryTest, TooMuchStaticSharedIsALaunchFault) {
  static SharedSlot a, b;
  EXPECT_EQ(run(1, 1,
                [&] {
                  shared_storage(a, 40000, 4, 10000, "a", HERE);
                  shared_storage(b, 10000, 4, 2500, "b", {"k.cu", 4, 1});
                }),
            719);
  EXPECT_EQ(status().fault, FaultClass::launch);
  EXPECT_THAT(status().message, HasSubstr("50000 bytes with 'b'"));
}

TEST_F(MemoryTest, AddressesAreDescribedByTheirNeighbour) {
  auto* x = static_cast<char*>(allocate_tensor("x", 0, 40, 4));
  auto* w = static_cast<char*>(device_alloc(100));
  int tensor = -2;
  EXPECT_EQ(describe_address(x + 40, 4, &tensor), "1 element past the end of tensor x (10 elements)");
  EXPECT_EQ(tensor, 0);
  EXPECT_EQ(describe_address(x + 47, 4, &tensor), "2 elements past the end of tensor x (10 elements)");
  EXPECT_EQ(describe_address(x - 4, 4, &tensor), "1 element before the start of tensor x (10 elements)");
  EXPECT_EQ(describe_address(x + 32, 16, &tensor), "8 bytes across the end of tensor x (10 elements)");
  EXPECT_EQ(describe_address(w + 100, 1, &tensor), "1 byte past the end of a launcher allocation of 100 bytes");
  EXPECT_EQ(tensor, -1);
  device_free(w);
  EXPECT_EQ(describe_address(w + 8, 4, &tensor), "inside a launcher allocation of 100 bytes that was freed");
  EXPECT_EQ(describe_address(&tensor, 4, &tensor), "");
}

// What the rewriter makes of `__device__ int counter = 5;`.
__attribute__((section("warpfuzz.device"))) int device_counter = 5;
__attribute__((section("warpfuzz.device"))) float device_table[3] = {1, 2, 3};

TEST_F(MemoryTest, DeviceGlobalsAreRestoredAfterEachCase) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(device_counter, 5);
    EXPECT_EQ(device_table[1], 2);
    EXPECT_EQ(run(1, 32,
                  [&] {
                    ++device_counter;
                    device_table[1] = 9;
                  }),
              0);
    EXPECT_EQ(device_counter, 37);
    start({});
  }
}

}  // namespace
}  // namespace warpfuzz::cpu
