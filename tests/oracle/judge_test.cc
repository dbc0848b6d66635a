// Verdicts: classes and their order, what the worst element says, counts, attributes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "numeric/round.h"
#include "oracle/attributes.h"
#include "probe.h"
#include "schema/fill/poison.h"

namespace warpfuzz::test {
namespace {

using testing::ElementsAre;

void put_bits(std::vector<std::byte>& b, std::size_t i, std::uint64_t bits, std::size_t size) {
  std::memcpy(b.data() + i * size, &bits, size);
}

TEST(Judge, CorrectOutputsGiveAnEmptyVerdict) {
  Probe p(2, 3, f32);
  p.ref().e.assign(6, 0.5);
  p.ref().e_rig.assign(6, 0.5);
  const Verdict v = p.judge(Values{1, 1.25f, 0.75f, 1, 1, 1});
  EXPECT_EQ(v.fault, FaultClass::none);
  EXPECT_FALSE(v.suspect);
  EXPECT_EQ(v.total, 6u);
  EXPECT_EQ(v.worst.tensor, -1);
  EXPECT_EQ(name_of(v.kind), "");
  EXPECT_DOUBLE_EQ(v.max_ratio, 0.5);
}

TEST(Judge, WorstElementSaysWhatWasAllowed) {
  Probe p(2, 3, f32);
  p.ref().e.assign(6, 0.25);
  p.ref().e_rig.assign(6, 0.5);
  p.ref().r[4] = 2;
  const Verdict v = p.judge(Values{1, 1.6f, 1, 1, 3, 1});
  EXPECT_EQ(v.fault, FaultClass::value);
  EXPECT_EQ(v.wrong, 2u);
  EXPECT_EQ(v.worst.element, 4u);
  EXPECT_THAT(v.worst.at, ElementsAre(1, 1));
  EXPECT_EQ(v.worst.got, 3);
  EXPECT_EQ(v.worst.reference, 2);
  EXPECT_EQ(v.worst.lo, 1.75);
  EXPECT_EQ(v.worst.hi, 2.25);
  EXPECT_DOUBLE_EQ(v.worst.ratio, 4);
  EXPECT_EQ(v.worst.ulps, ulp_distance(f32, 3, 2.25));
  EXPECT_DOUBLE_EQ(v.max_ratio, 4);
}

TEST(Judge, SixteenBitRatiosCountWhatExceedsHalfAnUlp) {
  Probe p(1, 1, f16);
  p.ref().e[0] = p.ref().e_rig[0] = 0x1p-14;
  const Verdict v = p.judge(Values{1 + 0x1p-10f});  // |y - r| = 2^-10, half an ulp 2^-11
  EXPECT_EQ(v.fault, FaultClass::value);
  EXPECT_DOUBLE_EQ(v.worst.ratio, 8);
}

TEST(Judge, ErrorsOfCopiesCountInHalfSpacings) {
  Probe p(1, 2, f32);
  const Verdict v = p.judge(Values{1, 1 + 0x1p-22f});  // two ulp, each 2^-23
  EXPECT_EQ(v.fault, FaultClass::value);
  EXPECT_DOUBLE_EQ(v.worst.ratio, 4);
  EXPECT_EQ(name_of(v.kind), "precision");
  Probe half(1, 1, bf16);
  EXPECT_DOUBLE_EQ(half.judge(Values{1 + 0x1p-7f}).worst.ratio, 2);
  EXPECT_EQ(name_of(half.judge(Values{-300}).kind), "gross");
}

TEST(Judge, BetweenTheTiersIsASuspect) {
  Probe p(1, 2, f32);
  p.ref().e.assign(2, 0.25);
  p.ref().e_rig.assign(2, 1);
  Verdict v = p.judge(Values{1.5f, 1});
  EXPECT_EQ(v.fault, FaultClass::none);
  EXPECT_TRUE(v.suspect);
  EXPECT_EQ(v.wrong, 0u);
  EXPECT_EQ(v.beyond_tight, 1u);
  EXPECT_EQ(v.worst.element, 0u);
  EXPECT_EQ(name_of(v.kind), "precision");
  confirm_suspect(v);
  EXPECT_EQ(v.fault, FaultClass::value);
  EXPECT_EQ(v.wrong, 1u);
  const Verdict both = p.judge(Values{1.5f, 3});
  EXPECT_FALSE(both.suspect) << "a finding already";
  EXPECT_EQ(both.worst.element, 1u);
}
TEST(Judge, InfWithinTheRigorousBoundIsASuspectToo) {
  Probe p(1, 1, f16);
  p.ref().r[0] = 65000, p.ref().e[0] = 10, p.ref().e_rig[0] = 1000;
  EXPECT_TRUE(p.judge(Values{INFINITY}).suspect);
  p.ref().e_rig[0] = 20;
  EXPECT_EQ(name_of(p.judge(Values{INFINITY}).kind), "inf-unexpected");
}

struct Kind {
  const char* name;
  int flags;
  double r;
  float y;
  FaultClass fault;
  const char* kind;
};
void PrintTo(const Kind& k, std::ostream* os) { *os << k.name; }
class Kinds : public testing::TestWithParam<Kind> {};
TEST_P(Kinds, ClassAndKind) {
  const Kind& k = GetParam();
  Probe p(1, 2, f32);
  p.ref().e.assign(2, 0.1);
  p.ref().e_rig.assign(2, 0.1);
  p.ref().flags[1] = static_cast<std::uint8_t>(k.flags);
  p.ref().r[1] = k.r;
  const Verdict v = p.judge(Values{1, k.y});
  EXPECT_EQ(v.fault, k.fault);
  EXPECT_EQ(name_of(v.kind), k.kind);
  if (v.wrong) EXPECT_EQ(v.worst.element, 1u);
  if (k.fault == FaultClass::special)
    EXPECT_EQ(v.worst.ratio, k.kind == std::string("sign") ? v.worst.ratio : INFINITY);
}
constexpr float kMaxFloat = std::numeric_limits<float>::max();
INSTANTIATE_TEST_SUITE_P(All, Kinds,
                         testing::ValuesIn(std::vector<Kind>{
                             {"nan_unexpected", 0, 1, NAN, FaultClass::special, "nan-unexpected"},
                             {"nan_for_inf", 0, INFINITY, NAN, FaultClass::special, "nan-unexpected"},
                             {"inf_unexpected", 0, 1, INFINITY, FaultClass::special, "inf-unexpected"},
                             {"inf_where_nan", kNanRequired, 0, INFINITY, FaultClass::special, "inf-unexpected"},
                             {"nan_missing", kNanRequired, 0, 1, FaultClass::special, "nan-missing"},
                             {"zero_where_nan", kNanRequired, 0, 0, FaultClass::special, "nan-missing"},
                             {"one_over_n_for_a_masked_row", kNanOk | kZeroOk, 0, 0.25f, FaultClass::value, "gross"},
                             {"finite_where_not", kNonFinite, 0, 1, FaultClass::special, "nan-missing"},
                             {"inf_missing", 0, INFINITY, kMaxFloat, FaultClass::special, "inf-missing"},
                             {"other_inf", 0, INFINITY, -INFINITY, FaultClass::special, "inf-missing"},
                             {"sign_of_a_copy", kBitEqual, -0.0, 0, FaultClass::special, "sign"},
                             {"copy_wrong", kBitEqual, 1, 2, FaultClass::value, "gross"},
                             {"precision", 0, 1, 1.2f, FaultClass::value, "precision"},
                             {"gross", 0, 1, 1000, FaultClass::value, "gross"},
                             {"nan_where_anything_goes", kAny, 1, NAN, FaultClass::none, ""},
                             {"nan_where_required", kNanRequired, 0, NAN, FaultClass::none, ""},
                             {"zero_where_allowed", kNanOk | kZeroOk, 0, -0.0f, FaultClass::none, ""},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(Judge, UnwrittenComesFirstEvenWhereNanIsRequired) {
  for (const DType t : {f32, f16, bf16}) {
    for (const int flags : {0, int{kNanRequired}, int{kAny}, int{kNanOk}}) {
      Probe p(1, 3, t);
      p.ref().flags[1] = static_cast<std::uint8_t>(flags);
      if (flags & kAny) p.ref().reason[1] = Reason::overflow;
      std::vector<std::byte> bytes = stored(t, {7, NAN, 1});
      if (flags == kNanRequired) EXPECT_EQ(p.judge(bytes).fault, FaultClass::value) << "an ordinary NaN is right here";
      put_bits(bytes, 1, output_poison(t), dtype_size(t));
      const Verdict v = p.judge(bytes);
      EXPECT_EQ(v.fault, FaultClass::unwritten) << dtype_name(t) << " flags " << flags;
      EXPECT_EQ(name_of(v.kind), "unwritten");
      EXPECT_EQ(v.worst.element, 1u);
      EXPECT_TRUE(v.worst.got_bits_are_poison);
      EXPECT_EQ(v.wrong, 2u);
    }
  }
}
TEST(Judge, SpecialBeatsValue) {
  Probe p(1, 3, f32);
  const Verdict v = p.judge(Values{1e30f, 1, INFINITY});
  EXPECT_EQ(v.fault, FaultClass::special);
  EXPECT_EQ(v.worst.element, 2u);
  EXPECT_EQ(v.wrong, 2u);
}
TEST(Judge, MemoryThatNobodyWroteIsNamed) {
  Probe p(1, 2, f32);
  std::vector<std::vector<std::byte>> out(1, stored(f32, {1, 1}));
  put_bits(out[0], 1, poison_bits(f32, PoisonKind::shared, 0), 4);
  const JudgeInput in{p.problem.schema(),
                      p.problem.test_case,
                      p.problem.row,
                      p.problem.spec.dialects(),
                      p.refs,
                      out,
                      output_poison,
                      {}};
  const Verdict v = judge(in);
  EXPECT_EQ(v.fault, FaultClass::special);
  EXPECT_EQ(v.uninitialised, 1u);
  EXPECT_EQ(v.worst.carries, "shared memory");
}
TEST(Judge, StrictZeroIsADialect) {
  Probe loose(1, 1, f32), strict(1, 1, f32, {"strict_zero"});
  for (Probe* p : {&loose, &strict}) p->ref().r[0] = -0.0, p->ref().e[0] = p->ref().e_rig[0] = 1e-30;
  EXPECT_EQ(loose.judge(Values{0}).fault, FaultClass::none);
  EXPECT_EQ(strict.judge(Values{-0.0f}).fault, FaultClass::none);
  const Verdict v = strict.judge(Values{0});
  EXPECT_EQ(v.fault, FaultClass::special);
  EXPECT_EQ(name_of(v.kind), "sign");
}
TEST(Judge, FlushedOutputsDependOnTheDialect) {
  Probe allowed(1, 1, f32), never(1, 1, f32, {"ftz=never"});
  for (Probe* p : {&allowed, &never}) p->ref().r[0] = 0x1p-130;
  EXPECT_EQ(allowed.judge(Values{0}).fault, FaultClass::none);
  EXPECT_EQ(never.judge(Values{0}).fault, FaultClass::value);
}

TEST(Judge, Counts) {
  Probe p(1, 8, f32);
  p.ref().flags = {kNanRequired, 0, 0, kAny, kAny, kAny, 0, 0};
  p.ref().reason = {Reason::none,     Reason::none,     Reason::none,
                    Reason::overflow, Reason::overflow, Reason::ill_conditioned,
                    Reason::none,     Reason::none};
  p.ref().r = {0, INFINITY, 0, 1, 1, 1, 0x1p-140, 1};
  const Verdict v = p.judge(Values{NAN, INFINITY, 0, NAN, INFINITY, 5, 0x1p-140f, 1});
  EXPECT_EQ(v.fault, FaultClass::none);
  EXPECT_EQ(v.nan_expected, 1u);
  EXPECT_EQ(v.nan_got, 2u);
  EXPECT_EQ(v.inf_expected, 1u);
  EXPECT_EQ(v.inf_got, 2u);
  EXPECT_EQ(v.zero, 1u);
  EXPECT_EQ(v.subnormal, 1u);
  EXPECT_EQ(v.unspecified[static_cast<std::size_t>(Reason::overflow)], 2u);
  EXPECT_EQ(v.unspecified[static_cast<std::size_t>(Reason::ill_conditioned)], 1u);
}

// y = -2x where a copy is due: that one x is 0 must not turn a gross bug into one of zeros' signs.
TEST(Judge, TheSignOfAZeroIsNamedOnlyWhereNothingElseIsWrong) {
  Probe p(1, 3, f32);
  p.ref().flags.assign(3, kBitEqual);
  p.ref().r = {0, 1, 2};
  Verdict v = p.judge(Values{-0.0f, -2, -5});
  EXPECT_EQ(v.fault, FaultClass::value);
  EXPECT_EQ(name_of(v.kind), "gross");
  EXPECT_EQ(name_of(v.location), "all");
  EXPECT_EQ(v.wrong, 3u);
  EXPECT_NE(v.worst.element, 0u);
  EXPECT_TRUE(v.worst.exact);
  v = p.judge(Values{-0.0f, 1, 2});
  EXPECT_EQ(v.fault, FaultClass::special);
  EXPECT_EQ(name_of(v.kind), "sign");
}

TEST(Judge, CopiesHaveAnErrorRecord) {
  Probe p(1, 4, f32);
  p.ref().flags.assign(4, kBitEqual);
  p.ref().r = {1, 2, NAN, INFINITY};
  std::vector<std::vector<std::byte>> out(1, stored(f32, {1, 3, NAN, INFINITY}));
  ErrorStats stats;
  judge(JudgeInput{
      p.problem.schema(), p.problem.test_case, p.problem.row, p.problem.spec.dialects(), p.refs, out, {}, {}, &stats});
  const ErrorRecord r = summarise(stats);
  EXPECT_EQ(r.measured, 2u);
  EXPECT_EQ(r.absolute.max, 1);
  EXPECT_EQ(r.counts.over, 1u);
}

TEST(Judge, IndexOutputs) {
  TargetSpec s =
      TargetSpec::custom("argmax").dim("rows", 8).reference([](const RefContext&, std::vector<Reference>&) {});
  s.output("at", {"rows"});
  Problem p(std::move(s), {{"rows", 3}});
  Schema schema = p.schema();
  schema.tensors[0].type = TensorType::index32;
  std::vector<Reference> refs(1);
  refs[0].resize(3);
  refs[0].r = {0, 5, 2};
  std::vector<std::vector<std::byte>> out(1, std::vector<std::byte>(12));
  const std::int32_t got[] = {0, 4, 2};
  std::memcpy(out[0].data(), got, 12);
  const auto run = [&] {
    return judge(JudgeInput{
        schema, p.test_case, p.row, p.spec.dialects(), refs, out, [](DType) { return std::uint64_t{0x7fda1234}; }, {}});
  };
  // An integer that names no element of a dim is a value, and is as far off as it is.
  EXPECT_EQ(run().fault, FaultClass::value);
  EXPECT_EQ(name_of(run().kind), "wrong-integer");
  EXPECT_EQ(run().worst.ratio, 1);
  EXPECT_EQ(run().worst.ulps, 0);
  EXPECT_EQ(run().max_ratio, 1);
  schema.tensors[0].index_dim = 0;
  EXPECT_EQ(run().fault, FaultClass::index);
  EXPECT_EQ(name_of(run().kind), "wrong-index");
  put_bits(out[0], 1, 0x7fda1234, 4);
  EXPECT_EQ(run().fault, FaultClass::unwritten);
}

TEST(Judge, ReferencesOfTheWrongSizeAreADefect) {
  Probe p(2, 2, f32);
  EXPECT_THROW(p.judge(Values{1, 1}), std::logic_error);
}

// ---- attributes ----

Verdict with_wrong(std::uint32_t rows, std::uint32_t cols, const std::vector<std::size_t>& wrong,
                   std::vector<std::uint32_t> tiles = {}) {
  Probe p(rows, cols, f32);
  Values y(std::size_t{rows} * cols, 1);
  for (const std::size_t i : wrong) y[i] = 3 + static_cast<float>(i);
  return p.judge(y, std::move(tiles));
}
std::vector<std::size_t> range(std::size_t from, std::size_t to, std::size_t step = 1) {
  std::vector<std::size_t> v;
  for (; from < to; from += step) v.push_back(from);
  return v;
}

TEST(Location, EachDescription) {
  EXPECT_EQ(name_of(with_wrong(4, 10, {17}).location), "single");
  EXPECT_EQ(name_of(with_wrong(4, 10, range(0, 40)).location), "all");
  EXPECT_EQ(name_of(with_wrong(4, 10, {31, 38}).location), "last-row");
  EXPECT_EQ(name_of(with_wrong(4, 10, {9, 29}).location), "last-col");
  EXPECT_EQ(name_of(with_wrong(4, 70, {65, 70 + 64, 210 + 69}).location), "tail-block");
  EXPECT_EQ(name_of(with_wrong(4, 10, {8, 19, 28}, {4}).location), "tail-block") << "of this execution's tiles";
  EXPECT_EQ(name_of(with_wrong(4, 10, {8, 19, 28}).location), "interior");
  EXPECT_EQ(name_of(with_wrong(4, 10, {1, 5}).location), "first");
  EXPECT_EQ(name_of(with_wrong(4, 10, range(10, 30)).location), "rows");
  EXPECT_EQ(name_of(with_wrong(4, 10, {3, 13, 23, 33}).location), "cols");
  EXPECT_EQ(name_of(with_wrong(40, 10, {33, 155, 241}).location), "sparse");
  EXPECT_EQ(name_of(with_wrong(1, 32, {3, 7, 20}).location), "interior") << "one row has no last row";
}
TEST(ShapeClass, AgainstTheTiles) {
  const std::uint32_t tiles[] = {32, 64};
  EXPECT_EQ(shape_class_of(1, tiles), "1");
  EXPECT_EQ(shape_class_of(31, tiles), "<B");
  EXPECT_EQ(shape_class_of(32, tiles), "multiple");
  EXPECT_EQ(shape_class_of(128, tiles), "multiple");
  EXPECT_EQ(shape_class_of(96, tiles), "remainder");
  EXPECT_EQ(shape_class_of(33, tiles), "remainder");
  EXPECT_EQ(shape_class_of(33, {}), "<B");
  EXPECT_THAT(with_wrong(1, 33, {3}, {32}).shape_class, ElementsAre("1", "remainder"));
}
TEST(ConstRatio, NeedsTwoSizesAndOneFactor) {
  Probe p(1, 3, f32);
  p.ref().r = {1, 2, 4};
  p.ref().e.assign(3, 1e-6);
  p.ref().e_rig.assign(3, 1e-6);
  Verdict v = p.judge(Values{0.5f, 1, 2});
  EXPECT_EQ(name_of(v.kind), "const-ratio");
  EXPECT_DOUBLE_EQ(v.const_ratio, 0.5);
  EXPECT_EQ(name_of(p.judge(Values{0.5f, 1, 3}).kind), "gross");
  EXPECT_EQ(name_of(p.judge(Values{0.5f, 2, 4}).kind), "gross") << "one wrong element has no constant ratio";
  EXPECT_EQ(p.judge(Values{-1, -2, -4}).const_ratio, -1);
}

}  // namespace
}  // namespace warpfuzz::test
