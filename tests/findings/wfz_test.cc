// The .wfz format: round trips, size, and every kind of damaged or hostile file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cmath>
#include <cstring>

#include "findings/container.h"
#include "members.h"
#include "numeric/hash.h"
#include "samples.h"

namespace warpfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Bytes frame(std::span<const std::uint8_t> payload, bool content_size = true) {
  ZSTD_CCtx* c = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, content_size);
  Bytes out(ZSTD_compressBound(payload.size()));
  out.resize(ZSTD_compress2(c, out.data(), out.size(), payload.data(), payload.size()));
  ZSTD_freeCCtx(c);
  return out;
}

// A container with this JSON header and these blobs.
Bytes container(const std::string& json, std::size_t blob_bytes = 0, std::uint16_t major = 1) {
  Bytes p{
      'W', 'A', 'R', 'P', 'F', 'U', 'Z', 'Z', static_cast<std::uint8_t>(major), static_cast<std::uint8_t>(major >> 8),
      0,   0};
  for (int i = 0; i < 4; ++i) p.push_back(static_cast<std::uint8_t>(json.size() >> (8 * i)));
  p.insert(p.end(), json.begin(), json.end());
  p.resize(p.size() + blob_bytes);
  return p;
}

std::string container_error(const std::string& json, std::size_t blob_bytes = 0) {
  const Result<Finding> r = unpack_container(container(json, blob_bytes));
  EXPECT_EQ(r.line().empty(), r.ok());
  EXPECT_THAT(r.line(), Not(HasSubstr("\n")));
  return r.line();
}

bool same_double(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// By value: the members are reached through references that are not const.
void expect_same(Finding a, Finding b) { members::expect_same(a, b, "finding"); }

// Every member set, each to a value of its own; the tensors' data as long as their shapes ask and with its hash.
Finding filled() {
  Finding f;
  members::Filler{}(f);
  f.target = "t";
  for (std::vector<TensorSnapshot>* list : {&f.inputs, &f.outputs}) {
    for (TensorSnapshot& t : *list) {
      t.data.resize(std::size_t{t.shape[0]} * t.shape[1] * dtype_size(t.dtype), std::byte{7});
      t.hash = hash_bytes(t.data.data(), t.data.size());
    }
  }
  f.errors.counts.unspecified[0] = 0;  // of Reason::none: no element counts there
  return f;
}

TEST(Wfz, RoundTripKeepsEveryField) {
  for (const Finding& f : {samples::softmax_value(), samples::matmul_value(), samples::out_of_bounds(),
                           samples::everything(), filled(), [] {
                             Finding least;
                             least.target = "t";
                             return least;
                           }()}) {
    const Result<Finding> r = from_wfz(to_wfz(f));
    ASSERT_EQ(r.line(), "");
    expect_same(f, *r);
  }
}

TEST(Wfz, SameFindingSameFile) { EXPECT_EQ(to_wfz(samples::everything()), to_wfz(samples::everything())); }

TEST(Wfz, DoublesThatJsonCannotSpellSurvive) {
  for (const double x :
       {std::numeric_limits<double>::denorm_min(), -0.0, 1.0 / 3, std::numeric_limits<double>::max(), -double{INFINITY},
        std::bit_cast<double>(0xfff8000000000123ull), std::bit_cast<double>(0x7ff0000000000001ull), 1e23, 5e-324}) {
    Finding f = samples::softmax_value();
    f.verdict.worst.got = x;
    const Result<Finding> r = from_wfz(to_wfz(f));
    ASSERT_EQ(r.line(), "");
    EXPECT_TRUE(same_double(r->verdict.worst.got, x)) << x;
  }
}

TEST(Wfz, SmallFindingsStayBelowTwoKibibytes) {
  for (const Finding& f :
       {samples::softmax_value(), samples::matmul_value(), samples::out_of_bounds(), samples::everything()}) {
    const std::size_t size = to_wfz(f).size();
    RecordProperty("bytes_" + f.target, static_cast<int>(size));
    EXPECT_LE(size, 2048u) << f.target;
  }
}

TEST(Wfz, LargeOutputsAreKeptAsHashInputsWhole) {
  Finding f = samples::softmax_value();
  const std::vector<double> many(300000, 0.5);
  f.inputs = {samples::tensor(0, "x", "in", DType::f32, {300, 1000}, many)};
  f.outputs = {samples::tensor(1, "y", "out", DType::f32, {300, 1000}, many)};
  const Result<Finding> r = from_wfz(to_wfz(f));
  ASSERT_EQ(r.line(), "");
  EXPECT_EQ(r->inputs[0].data, f.inputs[0].data);
  EXPECT_TRUE(r->outputs[0].data.empty());
  EXPECT_EQ(r->outputs[0].hash, f.outputs[0].hash);
  EXPECT_EQ(r->outputs[0].shape, f.outputs[0].shape);
}

TEST(Wfz, TextThatIsNoUtf8IsReplacedNotFatal) {
  Finding f = samples::softmax_value();
  f.message = "bad \xff\xfe byte \x1b[31m";
  const Result<Finding> r = from_wfz(to_wfz(f));
  ASSERT_EQ(r.line(), "");
  EXPECT_THAT(r->message, HasSubstr("byte ?[31m"));
  EXPECT_THAT(r->message, Not(HasSubstr("\xff")));
}

TEST(WfzDamage, EveryTruncationIsOneClearLine) {
  const Bytes file = to_wfz(samples::matmul_value());
  for (std::size_t n = 0; n < file.size(); ++n) {
    const Result<Finding> r = from_wfz(std::span(file).first(n));
    ASSERT_FALSE(r.ok()) << n;
    ASSERT_FALSE(r.line().empty()) << n;
    ASSERT_THAT(r.line(), Not(HasSubstr("\n")));
  }
}

TEST(WfzDamage, EveryTruncationOfTheContainerIsOneClearLine) {
  const Bytes payload = pack_container(samples::everything());
  for (std::size_t n = 0; n < payload.size(); ++n) {
    const Result<Finding> r = unpack_container(std::span(payload).first(n));
    ASSERT_FALSE(r.ok()) << n;
    ASSERT_FALSE(r.line().empty()) << n;
  }
}

TEST(WfzDamage, EveryFlippedBitOfTheFileIsNoticed) {
  const Bytes file = to_wfz(samples::softmax_value());
  const Finding original = samples::softmax_value();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    Bytes damaged = file;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const Result<Finding> r = from_wfz(damaged);
    if (r) expect_same(original, *r);  // a bit that zstd does not use
    else ASSERT_FALSE(r.line().empty());
  }
}

TEST(WfzDamage, FlippedBitsInTheContainerNeverCrash) {
  const Bytes payload = pack_container(samples::everything());
  for (std::size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    Bytes damaged = payload;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const Result<Finding> r = unpack_container(damaged);
    if (r) ASSERT_FALSE(report(*r, "replay").empty());
    else ASSERT_FALSE(r.line().empty());
  }
}

TEST(WfzDamage, TensorDataMustHaveItsHash) {
  Bytes payload = pack_container(samples::softmax_value());
  payload[payload.size() - 1] ^= 1;
  EXPECT_THAT(unpack_container(payload).line(), HasSubstr("hash"));
}

TEST(WfzHostile, BombsAreRefusedBeforeMemoryIsTaken) {
  // 3 GiB of zeros in some 100 KiB, built piece by piece; with and without a claimed size.
  for (const bool claimed : {true, false}) {
    ZSTD_CCtx* c = ZSTD_createCCtx();
    const std::vector<char> zeros(1 << 20);
    const std::uint64_t pieces = 3072;
    if (claimed) ZSTD_CCtx_setPledgedSrcSize(c, pieces * zeros.size());
    Bytes bomb(1 << 22);
    ZSTD_outBuffer out{bomb.data(), bomb.size(), 0};
    for (std::uint64_t i = 0; i < pieces; ++i) {
      ZSTD_inBuffer in{zeros.data(), zeros.size(), 0};
      const auto mode = i + 1 == pieces ? ZSTD_e_end : ZSTD_e_continue;
      while (true) {
        const std::size_t left = ZSTD_compressStream2(c, &out, &in, mode);
        ASSERT_FALSE(ZSTD_isError(left));
        if (mode == ZSTD_e_end ? left == 0 : in.pos == in.size) break;
      }
    }
    ZSTD_freeCCtx(c);
    bomb.resize(out.pos);
    ASSERT_LT(bomb.size(), std::size_t{1} << 20);
    EXPECT_THAT(from_wfz(bomb).line(), HasSubstr("67108864")) << claimed;
  }
}

TEST(WfzHostile, FramesThatLieAboutTheirSize) {
  Bytes file = frame(pack_container(samples::softmax_value()));
  // Single-segment frame with a one- or two-byte content size field at offset 5.
  for (const std::uint8_t claim : {0, 1, 100, 255}) {
    Bytes lying = file;
    lying[5] = claim;
    EXPECT_FALSE(from_wfz(lying).ok()) << int{claim};
    EXPECT_FALSE(from_wfz(lying).line().empty());
  }
  EXPECT_EQ(from_wfz(frame(pack_container(samples::softmax_value()), false)).line(), "");
}

TEST(WfzHostile, OtherFiles) {
  EXPECT_THAT(from_wfz({}).line(), HasSubstr("empty"));
  EXPECT_THAT(from_wfz(Bytes{1, 0, 0, 0, 5}).line(), HasSubstr("zstd"));
  EXPECT_THAT(from_wfz(frame(Bytes(1000, 'x'))).line(), HasSubstr("not a WarpFuzz finding"));
  EXPECT_THAT(from_wfz(frame(Bytes{})).line(), HasSubstr("cut short"));
  Bytes twice = to_wfz(samples::softmax_value());
  twice.insert(twice.end(), twice.begin(), twice.end());
  EXPECT_THAT(from_wfz(twice).line(), HasSubstr("follow the zstd frame"));
  EXPECT_TRUE(is_wfz(twice));
  EXPECT_FALSE(is_wfz(Bytes{0x28, 0xb5}));
  // A frame that asks for a window of 2 GiB.
  const Bytes window{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
  EXPECT_FALSE(from_wfz(window).line().empty());
}

TEST(WfzHostile, HeadersOfTheWrongShape) {
  EXPECT_THAT(unpack_container(container("{}", 0, 2)).line(), HasSubstr("format version 2.0"));
  EXPECT_THAT(container_error("not json"), HasSubstr("not valid JSON"));
  EXPECT_THAT(container_error("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(container_error("{}"), HasSubstr("'target'"));
  EXPECT_THAT(container_error(R"({"target":"../../etc/passwd"})"), HasSubstr("'target'"));
  EXPECT_THAT(container_error(R"({"target":5})"), HasSubstr("expected text"));
  EXPECT_THAT(container_error(R"({"target":"t","fault":"explosion"})"), HasSubstr("'explosion'"));
  EXPECT_THAT(container_error(R"({"target":"t","place":[]})"), HasSubstr("'place'"));
  EXPECT_THAT(container_error(R"({"target":"t","place":{"b":[1,2,3,4]}})"), HasSubstr("'place.b'"));
  EXPECT_THAT(container_error(R"({"target":"t","place":{"l":3000000000}})"), HasSubstr("'place.l'"));
  EXPECT_THAT(container_error(R"({"target":"t","v":{"w":{"ulp":1e30}}})"), HasSubstr("'v.w.ulp'"));
  EXPECT_THAT(container_error(R"({"target":"t","v":{"w":{"y":"Infinity"}}})"), HasSubstr("'v.w.y'"));
  EXPECT_THAT(container_error(R"({"target":"t","v":{"n":-1}})"), HasSubstr("'v.n'"));
  EXPECT_THAT(container_error(R"({"target":"t","attr":{"a":1}})"), HasSubstr("'attr.a'"));
  EXPECT_THAT(container_error(R"({"target":"t","case":99999999999})"), HasSubstr("cut short"));
  EXPECT_THAT(container_error(R"({"target":"t","case":-1})"), HasSubstr("'case'"));
  EXPECT_THAT(container_error(R"({"target":"t"})", 7), HasSubstr("7 bytes are left over"));
  EXPECT_THAT(container_error("{\"target\":\"t\",\"msg\":\"\xff\"}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(container_error(std::string(200000, '[')), HasSubstr("nested"));
  EXPECT_THAT(container_error(R"({"target":"t","x":)" + std::string(50, '[') + std::string(50, ']') + "}"),
              HasSubstr("nested"));
}

TEST(WfzHostile, TensorsOfTheWrongShape) {
  const auto in = [](const std::string& tensor, std::size_t blob = 0) {
    return container_error(R"({"target":"t","in":[)" + tensor + "]}", blob);
  };
  EXPECT_THAT(in("7"), HasSubstr("'in[0]': expected an object"));
  EXPECT_THAT(in(R"({"d":"fp8"})"), HasSubstr("'fp8'"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[1,1,1,1,1,1,1,1,1]})"), HasSubstr("'in[0].s"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4294967295,4294967295,4294967295]})"), HasSubstr("more elements"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4294967295,4294967295],"len":4})"), HasSubstr("'in[0]"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4294967296]})"), HasSubstr("'in[0].s"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4],"len":15})", 15), HasSubstr("needs 16 bytes"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4],"len":16,"h":"0000000000000000"})", 16), HasSubstr("hash"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[4],"len":16,"h":"0"})", 16), HasSubstr("16 hexadecimal digits"));
  EXPECT_THAT(in(R"({"d":"fp32","s":[1073741824],"len":4294967296,"h":"0000000000000000"})"), HasSubstr("cut short"));
  std::string many = R"({"d":"fp32"})";
  for (int i = 0; i < 100; ++i) many += R"(,{"d":"fp32"})";
  EXPECT_THAT(in(many), HasSubstr("at most 64"));
}

TEST(WfzCompatibility, UnknownFieldsAndMinorVersionsAreIgnored) {
  Bytes p = container(R"({"target":"t","fault":"value","future":{"a":[1]},"v":{"later":1}})");
  p[10] = 9;
  const Result<Finding> r = unpack_container(p);
  EXPECT_EQ(r.line(), "");
  EXPECT_EQ(r->fault, FaultClass::value);
}

// Files as the first release wrote them: all that it knew of these findings is still read.
TEST(WfzCompatibility, StoredFilesOfVersionOneStillRead) {
  Finding everything = samples::everything();
  everything.variant.clear();  // it did not know of variants
  for (const auto& [name, f] :
       {std::pair("softmax_value_1.0.wfz", samples::softmax_value()), std::pair("everything_1.0.wfz", everything)}) {
    const Result<Finding> r = read_wfz(std::string(WARPFUZZ_WFZ_DATA "/") + name);
    ASSERT_EQ(r.line(), "") << name;
    expect_same(f, *r);
  }
}

TEST(WfzCompatibility, AFileOfVersionOneStillReads) {
  // Written by the first release: it must read for ever, field by field.
  const Bytes p = container(
      R"({"target":"softmax","op":"softmax","backend":"cpu","fault":"oob-read","place":{"k":"kern","b":[1],"t":[2,3],"f":"a.cu","l":4},)"
      R"("msg":"m","sum":"s","v":{"n":3,"bad":1,"w":{"t":1,"at":[0,2],"y":"nan","r":0.5,"lo":"-inf","hi":1.5,"x":"inf","ulp":7}},)"
      R"("attr":{"kind":"gross"},"tv":1,"runs":12,"seed":34,"case":2,"in":[{"n":"x","r":"in","d":"fp16","s":[2],"i":0}]})",
      2);
  const Result<Finding> r = unpack_container(p);
  ASSERT_EQ(r.line(), "");
  EXPECT_EQ(bucket_key(*r), "softmax/oob-read/kern");
  EXPECT_EQ(describe(r->place), describe(Place{"kern", {1, 0, 0}, {2, 3, 0}, "a.cu", 4}));
  EXPECT_EQ(r->verdict.worst.ulps, 7);
  EXPECT_EQ(r->bytes.size(), 2u);
  EXPECT_EQ(r->inputs[0].shape, std::vector<std::uint32_t>{2});
}

}  // namespace
}  // namespace warpfuzz
