// The readable form: lossless for every decoded case, and one clear line for everything that does not hold.
#include <gtest/gtest.h>

#include "schema/codec/codec.h"
#include "schema/codec/wire.h"
#include "schema/fill/fill.h"
#include "schemas.h"

namespace warpfuzz {
namespace {

TEST(Text, LosslessForEveryDecodedCase) {
  const std::vector<Schema> schemas = testing::all_schemas();
  Rng rng(99);
  for (int i = 0; i < 30000; ++i) {
    const Schema& s = schemas[static_cast<std::size_t>(i) % schemas.size()];
    const TestCase c = decode(s, testing::random_bytes(rng));
    const std::string text = to_text(s, c, i % 3 ? "pass" : "value");
    const ParsedCase p = parse_text(s, text);
    ASSERT_EQ(p.error, "") << text;
    ASSERT_EQ(p.test_case, c) << text;
    ASSERT_EQ(p.expect, i % 3 ? "pass" : "value");
  }
}

TEST(Text, MinimalExample) {
  const Schema s = testing::rows_schema();
  const ParsedCase p = parse_text(s, "dtype: fp16\nrows: 3\ncols: 129\nx: normal amp=2^3 seed=7\n");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.expect, "pass");
  EXPECT_EQ(p.test_case.dtype, 1);
  EXPECT_EQ(p.test_case.dims[0], 3u);
  EXPECT_EQ(p.test_case.dims[1], 129u);
  EXPECT_EQ(fill_of(s, 0, p.test_case.tensors[0].fill), Fill::normal);
  EXPECT_EQ(amp_exponent(p.test_case.tensors[0].amp), 3);
  EXPECT_EQ(p.test_case.tensors[0].seed, 7u);
  EXPECT_EQ(to_text(s, p.test_case), "op: rows\ndtype: fp16\nrows: 3\ncols: 129\nx: normal amp=2^3 seed=7\n");
}

TEST(Text, EverythingThatCanBeSaid) {
  const Schema s = testing::rows_schema();
  const ParsedCase p =
      parse_text(s,
                 "# a comment\n\nop: rows   # another\nexpect: value\ndtype: fp16->fp32\r\nrows: 3\n  cols :  5\n"
                 "scale: 1e-5\nlog: true\ncalls: 2\norder: 9\nx: iota layout=padded rate=4 seed=3 param=2\n"
                 "y: layout=padded\nx[2,-1] = NaN\nx[ 1 , * ] = 1.5\nx[-3,0] = -max\nx[0,1] = -0.25\n");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.expect, "value");
  ASSERT_EQ(p.test_case.overrides.size(), 4u);
  EXPECT_EQ(
      to_text(s, p.test_case, p.expect),
      "op: rows\nexpect: value\ndtype: fp16->fp32\nrows: 3\ncols: 5\nscale: 1e-05\nlog: true\ncalls: 2\norder: 9\n"
      "x: iota param=2 rate=4 seed=3 layout=padded\ny: layout=padded\n"
      "x[1,*] = 1.5\nx[0,1] = -0.25\nx[-3,0] = -max\nx[2,-1] = NaN\n");
}

TEST(Text, ADimWhoseContentsBeginElsewhere) {
  const Schema s = testing::rows_schema();
  const ParsedCase p = parse_text(s, "rows: 1 from 57\ncols: 129  from  3 # a comment\nx: normal seed=7\n");
  ASSERT_EQ(p.error, "");
  EXPECT_EQ(p.test_case.dims[0], 1u);
  EXPECT_EQ(p.test_case.from[0], 57);
  EXPECT_EQ(p.test_case.from[1], 3);
  EXPECT_EQ(to_text(s, p.test_case), "op: rows\ndtype: fp32\nrows: 1 from 57\ncols: 129 from 3\nx: normal seed=7\n");
  EXPECT_EQ(summary(s, p.test_case), "rows fp32 rows=1 cols=129 x=normal rows from 57 cols from 3");
}

TEST(Text, OptionalTensorsAndTail) {
  const Schema s = testing::matmul_schema();
  const ParsedCase p = parse_text(s, "M: 2\nN: 3\nK: 4\na: raw_tail\nbias: ones\ntail: 0000803f\nbias[*] = 2\n");
  ASSERT_EQ(p.error, "");
  EXPECT_TRUE(p.test_case.tensors[2].present);
  EXPECT_EQ(p.test_case.tail, (std::vector<std::uint8_t>{0x80, 0x3f})) << "leading zeros say nothing";
  std::vector<float> v;
  fill_values(s, p.test_case, 0, 0, v);
  EXPECT_EQ(v, std::vector<float>(8, 1.0f));
  fill_values(s, p.test_case, 2, 0, v);
  EXPECT_EQ(v, std::vector<float>(3, 2.0f));
  EXPECT_FALSE(parse_text(s, "bias: absent\n").test_case.tensors[2].present);
}

std::string error_of(const Schema& s, const std::string& text) { return parse_text(s, text).error; }

TEST(Text, ErrorsSayLineExpectedAndGot) {
  const Schema s = testing::rows_schema();
  EXPECT_EQ(error_of(s, "rows: 1\n\ncols: 0\n"), "line 3: dim 'cols': expected 1..4096, got '0'");
  EXPECT_EQ(error_of(s, "rows: 2 from 1023\nx: normal\n"), "line 1: dim 'rows', from: expected 0..1022, got '1023'");
  EXPECT_EQ(error_of(s, "rows: 2 from\nx: normal\n"), "line 1: dim 'rows': expected 1..1024, got '2 from'");
  EXPECT_EQ(error_of(s, "\nrows: 2 from 9\nx: ones\n"),
            "line 2: dim 'rows', from: expected 0, since no fill differs along it, got '9'");
  EXPECT_EQ(error_of(s, "dtype: half\n"), "line 1: dtype: expected one of fp32, fp16, bf16, fp16->fp32, got 'half'");
  EXPECT_EQ(error_of(s, "op: softmax\n"), "line 1: op: expected 'rows', got 'softmax'");
  EXPECT_EQ(error_of(s, "rows\n"), "line 1: line: expected 'key: value' or 'tensor[i,j] = value', got 'rows'");
  EXPECT_EQ(error_of(s, "rows: 2\nrows: 3\n"), "line 2: key 'rows': expected one line for it, got 'a second one'");
  EXPECT_EQ(error_of(s, "op: rows\nx: ones\nx: zeros\n"),
            "line 3: key 'x': expected one line for it, got 'a second one'");
  EXPECT_EQ(error_of(s, "expect: pass\nexpect: value\n"),
            "line 2: key 'expect': expected one line for it, got 'a second one'");
  EXPECT_EQ(
      error_of(s, "width: 2\n"),
      "line 1: key: expected one of op, expect, dtype, calls, order, tail, rows, cols, scale, block, log, x, y, got 'width'");
  EXPECT_EQ(error_of(s, "scale: 2\n"), "line 1: scalar 'scale': expected one of 1, 0.5, 1e-05, 3.25, got '2'");
  EXPECT_EQ(error_of(s, "x: normal amp=8\n"), "line 1: tensor 'x', amp: expected 2^-20..2^13, got '8'");
  EXPECT_EQ(error_of(s, "x: gaussian\n").substr(0, 58), "line 1: tensor 'x': expected one of ones, constant, small_");
  EXPECT_EQ(error_of(s, "y: ones\n"),
            "line 1: tensor 'y': expected present, absent or layout=..., since it is no input, got 'ones'");
  EXPECT_EQ(error_of(s, "y: layout=offset\n"),
            "line 1: tensor 'y', layout: expected one that the kernel supports, got 'offset'");
  EXPECT_EQ(error_of(s, "x: normal param=3\n"), "line 1: tensor 'x', param of normal: expected 0..0, got '3'");
  EXPECT_EQ(error_of(s, "x[0] = 1\n"), "line 1: override of 'x': expected 2 coordinates, got '[0]'");
  EXPECT_EQ(error_of(s, "x[0,5] = 1\n"), "line 1: coordinate 1 of 'x': expected -1..0, got '5'");
  EXPECT_EQ(error_of(s, "x[0,-2] = 1\n"), "line 1: coordinate 1 of 'x': expected -1..0, got '-2'");
  EXPECT_EQ(error_of(s, "x[0,0] = 0.1\n"),
            "line 1: value of 'x': expected a number that fp16 holds exactly (nearest: 0.099975586), got '0.1'");
  EXPECT_EQ(error_of(s, "x[0,0] = 1e9\n"),
            "line 1: value of 'x': expected a number up to 65504, or max, Inf or square_overflow, got '1e9'");
  EXPECT_EQ(error_of(s, "y[0,0] = 1\n"), "line 1: override: expected the name of an input tensor, got 'y'");
  EXPECT_EQ(
      error_of(s, "rows: 1024\ncols: 4096\n"),
      "line 2: dims: expected within 262144 elements, 16777216 units of work (nearest: rows=256 cols=512), got 'rows=1024 cols=4096'");
  EXPECT_EQ(error_of(testing::matmul_schema(), "bias[0] = 1\n"),
            "line 1: override: expected a tensor that is present (add 'bias: ...'), got 'bias'");
  EXPECT_EQ(error_of(testing::window_schema(), "W: 6\n"),
            "line 1: dim 'W': expected 4..1024, a multiple of 4, got '6'");
  EXPECT_EQ(error_of(testing::window_schema(), "out: 6\n"),
            "line 1: dim 'out': expected no line, since it follows from the other dims, got '6'");
}

TEST(Text, ExpectIsPassAFaultClassOrAKey) {
  const Schema s = testing::rows_schema();
  for (const char* good : {"pass", "value", "special", "oob-read", "input-changed", "assert", "softmax/value",
                           "softmax/oob-write/kernel"}) {
    const ParsedCase p = parse_text(s, "op: rows\nexpect: " + std::string(good) + "\n");
    EXPECT_EQ(p.error, "") << good;
    EXPECT_EQ(p.expect, good);
  }
  for (const char* bad :
       {"", "fail", "Pass", "values", "none", "unsupported", "softmax/", "softmax/fails", "/", "value/softmax"})
    EXPECT_EQ(
        error_of(s, "op: rows\nexpect: " + std::string(bad) + "\n"),
        "line 2: expect: expected pass, a fault class (value, special, oob-read, ...) or a key that has one, got '" +
            std::string(bad) + "'");
}

TEST(Text, AnEmptyFileIsNoCase) {
  const Schema s = testing::rows_schema();
  for (const char* empty : {"", "\n\n", "# a comment\n  \t\r\n"})
    EXPECT_EQ(error_of(s, empty), "line 1: case: expected at least a line 'op: rows', got 'an empty file'");
  EXPECT_EQ(error_of(s, "op: rows"), "");
}

TEST(Text, NeverFailsBadlyOnGarbage) {
  const std::vector<Schema> schemas = testing::all_schemas();
  Rng rng(4);
  const std::string alphabet = "x[]=,:*-+.0123456789 \n#abrowscltdkyNIMKe^p";
  for (int i = 0; i < 20000; ++i) {
    const Schema& s = schemas[static_cast<std::size_t>(i) % schemas.size()];
    std::string text = i % 2 ? to_text(s, decode(s, testing::random_bytes(rng))) : "";
    for (std::uint32_t n = 1 + rng.below(12); n > 0; --n) {
      const auto at = rng.below(static_cast<std::uint32_t>(text.size() + 1));
      text.insert(text.begin() + at, alphabet[rng.below(static_cast<std::uint32_t>(alphabet.size()))]);
    }
    const ParsedCase p = parse_text(s, text);
    if (p.error.empty()) ASSERT_EQ(decode(s, encode(s, p.test_case)), p.test_case) << text;
    else ASSERT_EQ(p.error.find('\n'), std::string::npos);
  }
}

TEST(Text, Summary) {
  const Schema s = testing::rows_schema();
  const auto of = [&](const std::string& text) { return summary(s, parse_text(s, text).test_case); };
  EXPECT_EQ(of("dtype: fp16\nrows: 7\ncols: 129\nx: normal\n"), "rows fp16 rows=7 cols=129 x=normal");
  EXPECT_EQ(of("x: iota amp=2^-3 rate=4 layout=stride0\nrows: 2\nlog: true\ncalls: 2\nx[0,-1] = NaN\n"),
            "rows fp32 rows=2 cols=1 log x=iota*2^-3+specials x:stride0 calls=2 x[0,-1]=NaN");
}

TEST(Text, ErrorsShowATokenShortAndWithoutControlBytes) {
  const Schema s = testing::rows_schema();
  const std::string error = parse_text(s, std::string(100000, 'k') + "\x1b[31m: 1\n").error;
  EXPECT_LT(error.size(), 1000u);
  EXPECT_NE(error.find("kkk..."), std::string::npos) << error;
  EXPECT_EQ(parse_text(s, "rows\x1b: 1\n").error.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpfuzz
