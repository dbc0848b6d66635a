// Keys, names, attributes and the wording of the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "findings/format.h"
#include "findings/variant.h"
#include "numeric/round.h"
#include "ops/op.h"
#include "samples.h"
#include "schema/fill/poison.h"

namespace warpfuzz {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string first_line(const std::string& s) { return s.substr(0, s.find('\n')); }

TEST(Key, HasThePlaceOnlyWhereTheFaultHasOne) {
  EXPECT_EQ(bucket_key("softmax", FaultClass::value, ""), "softmax/value");
  EXPECT_EQ(bucket_key("softmax", FaultClass::value, "softmax_kernel"), "softmax/value");
  EXPECT_EQ(bucket_key("softmax", FaultClass::oob_read, "softmax_kernel"), "softmax/oob-read/softmax_kernel");
  EXPECT_EQ(bucket_key("softmax", FaultClass::race, ""), "softmax/race");
  EXPECT_EQ(bucket_key("softmax", FaultClass::assertion, "k"), "softmax/assert/k");
  for (const FaultClass f : {FaultClass::launch, FaultClass::unwritten, FaultClass::input_changed, FaultClass::index,
                             FaultClass::special, FaultClass::value, FaultClass::nondeterministic}) {
    EXPECT_FALSE(fault_info(f).has_place);
  }
}

TEST(Key, FileNames) {
  EXPECT_THAT(wfz_name(samples::softmax_value()), ::testing::MatchesRegex("value-[0-9a-f]{8}\\.wfz"));
  EXPECT_THAT(wfz_name(samples::out_of_bounds()), StartsWith("oob-write-layernorm_vec4_kernel-"));
  Finding f = samples::out_of_bounds();
  f.place.kernel = "../a b/" + std::string(400, 'x');
  EXPECT_THAT(wfz_name(f), Not(HasSubstr("/")));
  EXPECT_LT(wfz_name(f).size(), 150u);
  Finding other = samples::softmax_value();
  other.bytes[6] = 3;
  EXPECT_NE(wfz_name(other), wfz_name(samples::softmax_value()));
  other.variant = kOrdinary;
  EXPECT_THAT(wfz_name(other), ::testing::MatchesRegex("value-[0-9a-f]{8}\\.wfz"));
  other.variant = kSpecial;
  EXPECT_THAT(wfz_name(other), ::testing::MatchesRegex("value-special-[0-9a-f]{8}\\.wfz"));
}

TEST(Variant, OrdinaryNumbers) {
  for (const double x : {0.0, 1.0, -3.5, 0x1p-63, 0x1p62, -0x1p-63}) EXPECT_TRUE(is_ordinary(DType::f32, x)) << x;
  for (const double x :
       {-0.0, 0x1p-64, 0x1p-126, 0x1p-140, 0x1p64, 3.4e38, double(INFINITY), -double(INFINITY), double(NAN)})
    EXPECT_FALSE(is_ordinary(DType::f32, x)) << x;
  EXPECT_TRUE(is_ordinary(DType::f16, 0x1p-14) && is_ordinary(DType::f16, 30000));
  EXPECT_FALSE(is_ordinary(DType::f16, 0x1p-15) || is_ordinary(DType::f16, 65504));
  EXPECT_TRUE(is_ordinary(DType::i64, -0.0) && is_ordinary(DType::i32, 2147483647));
}

TEST(Variant, OfAFileThatKnowsNone) {
  Finding f = samples::softmax_value();
  ASSERT_EQ(f.variant, "");
  EXPECT_EQ(variant_of(f), kOrdinary);
  f.inputs[0] = samples::tensor(0, "x", "in", DType::f16, {2}, {1, INFINITY});
  EXPECT_EQ(variant_of(f), kSpecial);
  f.variant = "of a later version";
  EXPECT_EQ(variant_of(f), "of a later version");
  EXPECT_THAT(report(f, ""), HasSubstr("  variant      of a later version\n"));
  EXPECT_EQ(variant_of(samples::out_of_bounds()), "");
  EXPECT_THAT(report(samples::out_of_bounds(), ""), Not(HasSubstr("  variant ")));
}

TEST(Attributes, SayWhatIsKnownAndNothingElse) {
  const auto a = samples::softmax_value().attributes;
  const std::map<std::string, std::string> expected{
      {"kind", "const-ratio"}, {"ratio", "0.75"},       {"location", "all"},         {"dtype", "fp16"},
      {"dialects", "none"},    {"row", "softmax.fp16"}, {"shape", "rows=1 cols=<B"}, {"severity", "2^8, 100 % wrong"}};
  EXPECT_EQ(a, expected);
  const auto b = attributes_of(FaultClass::hang, {}, {});
  EXPECT_EQ(b, (std::map<std::string, std::string>{{"kind", "hang"}}));
  Verdict v;
  v.total = 10;
  v.wrong = 1;
  v.max_ratio = INFINITY;
  v.unspecified[static_cast<int>(Reason::overflow)] = 4;
  const auto c = attributes_of(FaultClass::special, v, {});
  EXPECT_EQ(c.at("severity"), "inf, 10 % wrong");
  EXPECT_EQ(c.at("unspecified"), std::string(reason_name(Reason::overflow)) + " 4");
}

TEST(Format, ValuesAreAsShortAsTheDtypeAllows) {
  EXPECT_EQ(format_value(DType::f16, round_to(DType::f16, 1.0 / 3)), "0.3333");
  EXPECT_EQ(format_value(DType::bf16, round_to(DType::bf16, 1.0 / 3)), "0.334");
  EXPECT_EQ(format_value(DType::f32, round_to(DType::f32, 1.0 / 3)), "0.33333334");
  EXPECT_EQ(format_value(DType::f64, 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format_value(DType::f16, 65504), "65504");
  EXPECT_EQ(format_value(DType::f32, -0.0), "-0");
  EXPECT_EQ(format_value(DType::f16, NAN), "nan");
  EXPECT_EQ(format_value(DType::f32, -INFINITY), "-inf");
  EXPECT_EQ(format_value(DType::i32, -7), "-7");
  // What is printed is what was stored, for every fp16 value.
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double x = f16_value(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(round_to(DType::f16, std::strtod(format_value(DType::f16, x).c_str(), nullptr)), x);
  }
}

TEST(Format, LargeTensorsShowTheRowThatMatters) {
  std::vector<double> values(4 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const TensorSnapshot t = samples::tensor(0, "y", "out", DType::f32, {4, 1000}, values);
  const auto lines = tensor_lines(t, {2, 500}, true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "y (out) fp32 [4,1000]:");
  EXPECT_EQ(lines[1], "  y[2,*] = 2000 2001 2002 2003 ... 2497 2498 2499 >2500< 2501 2502 2503 ... 2997 2998 2999");
  EXPECT_EQ(tensor_lines(t, {3, 999}, true)[1], "  y[3,*] = 3000 3001 3002 3003 ... 3996 3997 3998 >3999<");
  EXPECT_EQ(tensor_lines(t, {}, false)[1], "  y[0,*] = 0 1 2 3 ... 997 998 999");
  EXPECT_EQ(tensor_lines(t, {900, 900}, true).size(), 2u);  // out of range: no crash
}

TEST(Format, SmallTensorsWhole) {
  EXPECT_EQ(tensor_lines(samples::tensor(0, "x", "in", DType::f16, {1, 3}, {1, 0.5, INFINITY}), {0, 1}, false),
            (std::vector<std::string>{"x (in) fp16 [1,3], 1 Inf: 1 0.5 inf"}));
  EXPECT_EQ(tensor_lines(samples::tensor(0, "x", "in", DType::i32, {2, 2}, {1, 2, 3, 4}), {1, 0}, true),
            (std::vector<std::string>{"x (in) int32 [2,2]:", "  1 2", "  >3< 4"}));
  EXPECT_EQ(tensor_lines(samples::tensor(0, "s", "in", DType::f32, {}, {7}), {}, true),
            (std::vector<std::string>{"s (in) fp32 []: >7<"}));
  EXPECT_EQ(tensor_lines(samples::tensor(0, "x", "in", DType::f32, {0, 3}, {}), {}, true),
            (std::vector<std::string>{"x (in) fp32 [0,3]: empty"}));
  TensorSnapshot lost = samples::tensor(0, "x", "out", DType::f32, {2}, {1, 2});
  lost.data.clear();
  EXPECT_THAT(tensor_lines(lost, {}, false)[0], HasSubstr("not stored, hash "));
}

TEST(Report, OfAWrongValue) {
  EXPECT_EQ(
      report(samples::softmax_value(), "./fuzz_softmax_tail_mask value.wfz"),
      R"(==WARPFUZZ== ERROR: value: softmax_tail_mask fp16 rows=1 cols=3: y[0,2] = 0.25, reference 0.33333333, allowed [0.3333, 0.3335]: off by 341 ulp, 292x the half-width; 3 of 3 outputs wrong (all).
  key          softmax_tail_mask/value
  fault        value: an output lies outside of the interval that correct rounding allows
  variant      ordinary: ordinary values of the inputs show it
  case         softmax fp16 rows=1 cols=3 x=ones
  kind         const-ratio (y/r = 0.75), at: all, severity 2^8, 100 % wrong
  shape class  rows=1 cols=<B
  dialects     none
  tolerance    softmax.fp16 (table version 1)
  allowance    exp 62 %, accumulation 30 %, division 8 %
  unspecified  0 of 3
  tensors      x (in) fp16 [1,3]: 1 1 1
               y (out) fp16 [1,3]: 0.25 0.25 >0.25<
  as text      op: softmax
               dtype: fp16
               rows: 1
               cols: 3
               x: ones
  found        cpu, x86-64, clang 22.1.8 -O2 -fsanitize=address, 2026-03-01T12:34:56Z, execution 17 of seed 1234567890
  replay       ./fuzz_softmax_tail_mask value.wfz
SUMMARY: WarpFuzz: softmax_tail_mask/value
)");
}

TEST(Report, OfAFaultWithAPlace) {
  const Finding f = samples::out_of_bounds();
  const std::string r = report(f, "");
  EXPECT_EQ(
      first_line(r),
      "==WARPFUZZ== ERROR: oob-write: layernorm_vec4 fp32 rows=1 cols=3: write of 16 bytes, 0 bytes behind the 12 bytes of 'y'.");
  EXPECT_THAT(r, HasSubstr("  place        " + describe(f.place) + "\n"));
  EXPECT_THAT(r, Not(HasSubstr("replay")));
  EXPECT_THAT(r, EndsWith("SUMMARY: WarpFuzz: layernorm_vec4/oob-write/layernorm_vec4_kernel\n"));
}

TEST(Report, OfSpecialValues) {
  Finding f = samples::softmax_value();
  f.fault = FaultClass::special;
  f.verdict.wrong = 1;
  f.verdict.location = ErrorPlace::single;
  f.verdict.worst.got = NAN;
  f.verdict.worst.ratio = INFINITY;
  f.verdict.worst.ulps = std::int64_t{1} << 62;
  EXPECT_THAT(first_line(report(f, "")),
              EndsWith("y[0,2] = nan, reference 0.33333333, allowed [0.3333, 0.3335]; 1 of 3 outputs wrong."));
  f.verdict.worst.got = 0.25;
  f.verdict.worst.reference = NAN;
  EXPECT_THAT(first_line(report(f, "")),
              EndsWith("y[0,2] = 0.25, reference nan: NaN is required; 1 of 3 outputs wrong."));
  f.fault = FaultClass::unwritten;
  f.verdict.worst.reference = 0.5;
  EXPECT_THAT(first_line(report(f, "")), HasSubstr("y[0,2] was never written"));
}

TEST(Report, PlacesOfWrongOutputsReadAsWords) {
  Finding f = samples::softmax_value();
  f.verdict.wrong = 2;
  for (const auto& [location, words] :
       std::map<ErrorPlace, std::string>{{ErrorPlace::last_row, ", all in the last row."},
                                         {ErrorPlace::tail_block, ", all in the tail block."},
                                         {ErrorPlace::rows, ", in whole rows."},
                                         {ErrorPlace::sparse, ", scattered."},
                                         {ErrorPlace::first, ", the first."}}) {
    f.verdict.location = location;
    EXPECT_THAT(first_line(report(f, "")), EndsWith("2 of 3 outputs wrong" + words));
  }
}

TEST(Report, HostileTextCannotDriveATerminal) {
  Finding f = samples::softmax_value();
  f.fault = FaultClass::hang;
  f.message = "\x1b]0;title\x07";
  f.attributes["x\x1b"] =
      "\x9b"
      "2J";
  f.outputs[0].name = "\x1b[2J";
  const std::string r = report(f, "");
  for (const char c : r) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Report, NansOfOutputsShowTheirBits) {
  Finding f = samples::everything();
  EXPECT_THAT(report(f, ""), HasSubstr("y (out, call 2) fp16 [1,3], 2 NaN: nan:7e5a >nan:fc01< -0"));
}

TEST(Report, OurPoisonIsNamedByItsMemory) {
  Finding f = samples::softmax_value();
  f.fault = FaultClass::special;
  f.verdict.worst.got = NAN, f.verdict.worst.ratio = INFINITY, f.verdict.worst.ulps = 0;
  f.verdict.worst.carries = "shared memory";
  const std::uint16_t bits[] = {static_cast<std::uint16_t>(poison_bits(DType::f16, PoisonKind::output, 0)),
                                static_cast<std::uint16_t>(poison_bits(DType::f16, PoisonKind::padding, 0)),
                                static_cast<std::uint16_t>(poison_bits(DType::f16, PoisonKind::shared, 0))};
  std::memcpy(f.outputs[0].data.data(), bits, sizeof bits);
  std::string r = report(f, "");
  EXPECT_THAT(r, HasSubstr("y[0,2] = nan (from shared memory that nobody wrote), reference 0.33333333"));
  EXPECT_THAT(r, HasSubstr(": unwritten nan(padding) >nan(shared memory)<\n"));
  f.verdict.worst.carries = "padding";
  EXPECT_THAT(report(f, ""), HasSubstr("y[0,2] = nan (from the padding between the elements of a tensor), reference"));
}

TEST(Report, IntegersAreNoRealNumbers) {
  Finding f = samples::softmax_value();
  f.outputs = {samples::tensor(1, "y", "out", DType::i64, {1, 3}, {0, 16, 123456789012})};
  f.verdict.worst.got = 123456789012, f.verdict.worst.reference = 123456789000;
  f.verdict.worst.lo = f.verdict.worst.hi = 123456789000;
  f.verdict.worst.ratio = 12, f.verdict.worst.ulps = 0, f.verdict.worst.exact = true;
  const std::string r = report(f, "");
  EXPECT_THAT(first_line(r),
              EndsWith("y[0,2] = 123456789012, reference 123456789000: off by 12; 3 of 3 outputs wrong (all)."));
  EXPECT_THAT(r, HasSubstr("0 16 >123456789012<"));
}

TEST(Report, WhatMustBeEqualHasNoHalfWidth) {
  Finding f = samples::softmax_value();
  f.verdict.worst.exact = true;
  EXPECT_THAT(
      first_line(report(f, "")),
      EndsWith(
          "y[0,2] = 0.25, reference 0.33333333, allowed 0.3333 alone: off by 341 ulp; 3 of 3 outputs wrong (all)."));
}

TEST(Elements, CountInputsOfTheFirstCall) {
  EXPECT_EQ(input_elements(samples::matmul_value()), 66u);
  Finding f = samples::softmax_value();
  f.inputs.push_back(f.inputs[0]);
  f.inputs[1].call = 1;
  EXPECT_EQ(input_elements(f), 3u);
  f.inputs.clear();
  EXPECT_EQ(input_elements(f), 3u);
}

}  // namespace
}  // namespace warpfuzz
