// Poison is recognised after what kernels do with it: arithmetic, conversions, reads of another width.
#include "schema/fill/poison.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "numeric/round.h"

namespace warpfuzz {
namespace {

std::uint32_t f32_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
float carried(std::uint64_t bits) {  // through arithmetic, which keeps a NaN's payload
  volatile float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return x * 2.0f + 1.0f;
}

constexpr std::pair<PoisonKind, const char*> kKinds[] = {{PoisonKind::output, "output memory"},
                                                         {PoisonKind::workspace, "workspace memory"},
                                                         {PoisonKind::shared, "shared memory"},
                                                         {PoisonKind::padding, "padding"}};

TEST(PoisonSource, NamesTheMemoryInEveryFloatingType) {
  for (const auto& [kind, name] : kKinds)
    for (DType t : {DType::f32, DType::f16, DType::bf16, DType::f64})
      EXPECT_EQ(poison_source(t, poison_bits(t, kind, 0)), name) << dtype_name(t);
}

TEST(PoisonSource, SurvivesArithmeticConversionsAndReadsOfAnotherWidth) {
  for (const auto& [kind, name] : kKinds) {
    const std::uint64_t f32 = poison_bits(DType::f32, kind, 0), word = poison_bits(DType::f64, kind, 0);
    EXPECT_EQ(poison_source(DType::f32, f32_bits(carried(f32))), name);
    EXPECT_EQ(poison_source(DType::f32, f32_bits(-carried(f32))), name);
    // fp32 to fp16 and bf16: the first bits of the payload stay.
    EXPECT_EQ(poison_source(DType::f16, 0xfc00 | (f32 >> 13 & 0x3ff)), name);
    EXPECT_EQ(poison_source(DType::bf16, f32 >> 16), name);
    // fp16 to fp32: zeros behind it. Outputs would not come to this, and share the payload of another kind there.
    if (kind != PoisonKind::output) {
      const std::uint64_t widened = 0xff800000 | (poison_bits(DType::f16, kind, 0) & 0x3ff) << 13;
      EXPECT_EQ(poison_source(DType::f32, widened), name);
    }
    // Untyped memory, such as dynamic shared memory, read in halves.
    EXPECT_EQ(poison_source(DType::f32, word & 0xffffffff), name);
    EXPECT_EQ(poison_source(DType::f32, word >> 32), name);
    // fp16 to bf16 keeps too little to tell the kinds apart.
    EXPECT_NE(poison_source(DType::bf16, 0xff80 | (poison_bits(DType::f16, kind, 0) & 0x3ff) >> 3), "");
  }
}

TEST(PoisonSource, NoOtherValueHasOne) {
  for (const float x : {0.0f, 1.0f, -3e38f, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(poison_source(DType::f32, f32_bits(x)), "") << x;
  EXPECT_EQ(poison_source(DType::f32, 0x7fffffff), "");  // what a GPU computes
  EXPECT_EQ(poison_source(DType::f16, 0x7fff), "");
  EXPECT_EQ(poison_source(DType::bf16, 0x7fff), "");
  EXPECT_EQ(poison_source(DType::f32, poison_bits(DType::f32, PoisonKind::shared, 1)), "");  // a number
  EXPECT_EQ(poison_source(DType::i32, poison_bits(DType::i32, PoisonKind::shared, 0)), "");
}

}  // namespace
}  // namespace warpfuzz
