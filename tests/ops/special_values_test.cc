// What NaN, Inf, overflow and subnormals among the inputs require of the outputs, as tables.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "problem.h"

namespace warpfuzz::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max(), kSub = 0x1p-140f;
constexpr int kFinite = 0;  // an ordinary interval

struct Expect {
  int flags;
  double r = NAN;
  Reason reason = Reason::none;
};  // r: NAN where it does not matter
struct Table {
  const char* name;
  TargetSpec spec;
  std::map<std::string, std::uint32_t> dims;
  std::map<std::string, Values> in;
  std::vector<Expect> expect;
  DType dtype = f32;
};
void PrintTo(const Table& t, std::ostream* os) { *os << t.name; }

class SpecialValues : public testing::TestWithParam<Table> {};

TEST_P(SpecialValues, Flags) {
  const Table& t = GetParam();
  Problem p(t.spec, t.dims, t.dtype, t.dtype);
  for (const auto& [name, values] : t.in) p.set(name, values);
  const Reference ref = p.reference();
  ASSERT_EQ(ref.r.size(), t.expect.size());
  for (std::size_t i = 0; i < t.expect.size(); ++i) {
    EXPECT_EQ(ref.flags[i], t.expect[i].flags) << "element " << i;
    EXPECT_EQ(ref.reason[i], t.expect[i].reason) << "element " << i << ": " << reason_name(ref.reason[i]);
    if (!std::isnan(t.expect[i].r)) EXPECT_EQ(ref.r[i], t.expect[i].r) << "element " << i;
    EXPECT_FALSE(std::isnan(ref.e[i]));
  }
}

const Expect kNanHere{kNanRequired}, kOrdinary{kFinite}, kNanOrZero{kNanOk | kZeroOk, 0};
Expect any(Reason why) { return {kAny, NAN, why}; }
TargetSpec all(TargetSpec s) { return all_dtypes(std::move(s)); }
const std::map<std::string, std::uint32_t> kRow3 = {{"rows", 1}, {"cols", 3}}, kDot2 = {{"M", 1}, {"N", 1}, {"K", 2}};

INSTANTIATE_TEST_SUITE_P(
    Softmax, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"nan_fills_the_row", ops::softmax(), kRow3, {{"x", {1, kNan, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"nan_beats_inf", ops::softmax(), kRow3, {{"x", {kInf, kNan, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"plus_inf", ops::softmax(), kRow3, {{"x", {kInf, 1, -kInf}}}, {kNanHere, kNanOrZero, kNanOrZero}},
        {"minus_inf_is_exactly_zero",
         ops::softmax(),
         kRow3,
         {{"x", {0, -kInf, 0}}},
         {kOrdinary, {kFinite, 0}, kOrdinary}},
        {"all_minus_inf_is_never_one_over_n",
         ops::softmax(),
         kRow3,
         {{"x", {-kInf, -kInf, -kInf}}},
         {kNanOrZero, kNanOrZero, kNanOrZero}},
        {"nan_of_another_row_stays_there",
         ops::softmax(),
         {{"rows", 2}, {"cols", 1}},
         {{"x", {kNan, 5}}},
         {kNanHere, {kFinite, 1}}},
        {"huge_arguments_are_ill_conditioned",
         ops::softmax(),
         kRow3,
         {{"x", {3e8f, 0, 1}}},
         {any(Reason::ill_conditioned), any(Reason::ill_conditioned), any(Reason::ill_conditioned)}},
        {"just_below_the_limit", ops::softmax(), kRow3, {{"x", {2.5e8f, 0, 1}}}, {kOrdinary, kOrdinary, kOrdinary}},
    }),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Layernorm, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"nan_row", ops::layernorm(), kRow3, {{"x", {1, kNan, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"inf_row_is_nan_everywhere", ops::layernorm(), kRow3, {{"x", {1, kInf, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"inf_row_naive",
         ops::layernorm().dialect("var=naive"),
         kRow3,
         {{"x", {1, kInf, 2}}},
         {{kNonFinite}, {kNonFinite}, {kNonFinite}}},
        {"nan_row_naive",
         ops::layernorm().dialect("var=naive"),
         kRow3,
         {{"x", {1, kNan, kInf}}},
         {kNanHere, kNanHere, kNanHere}},
        {"square_overflows",
         ops::layernorm(),
         kRow3,
         {{"x", {1e19f, -1e19f, 1e19f}}},
         {any(Reason::overflow), any(Reason::overflow), any(Reason::overflow)}},
        {"weights",
         ops::layernorm(),
         kRow3,
         {{"x", {1, 2, 4}}, {"gamma", {kNan, kInf, 1}}, {"beta", {0, 0, 0}}},
         {kNanHere, any(Reason::infinite_weight), kOrdinary}},
        {"offsets",
         ops::layernorm(),
         kRow3,
         {{"x", {1, 2, 4}}, {"beta", {kNan, -kInf, 1}}},
         {kNanHere, any(Reason::infinite_weight), kOrdinary}},
        {"huge_weight_overflows",
         ops::layernorm(),
         kRow3,
         {{"x", {1, 2, 4}}, {"gamma", {kMax, 1, 1}}},
         {any(Reason::overflow), kOrdinary, kOrdinary}},
        {"constant_row_is_zero",
         ops::layernorm(),
         kRow3,
         {{"x", {3, 3, 3}}},
         {{kFinite, 0}, {kFinite, 0}, {kFinite, 0}}},
    }),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Rmsnorm, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"nan_row", ops::rmsnorm(), kRow3, {{"x", {1, kNan, kInf}}}, {kNanHere, kNanHere, kNanHere}},
        {"inf_row", ops::rmsnorm(), kRow3, {{"x", {1, -kInf, 0}}}, {kNanOrZero, kNanHere, kNanOrZero}},
        {"inf_row_meets_weights",
         ops::rmsnorm(),
         kRow3,
         {{"x", {1, kInf, 2}}, {"gamma", {kInf, 1, kNan}}},
         {kNanHere, kNanHere, kNanHere}},
        {"infinite_weight",
         ops::rmsnorm(),
         kRow3,
         {{"x", {1, 0, 2}}, {"gamma", {kInf, kInf, kNan}}},
         {any(Reason::infinite_weight), kNanHere, kNanHere}},
        {"square_overflows",
         ops::rmsnorm(),
         kRow3,
         {{"x", {2e19f, 1, 1}}},
         {any(Reason::overflow), any(Reason::overflow), any(Reason::overflow)}},
        {"zero_row", ops::rmsnorm(), kRow3, {{"x", {0, 0, 0}}}, {{kFinite, 0}, {kFinite, 0}, {kFinite, 0}}},
        {"huge_weight",
         ops::rmsnorm(),
         kRow3,
         {{"x", {100, 1, 1}}, {"gamma", {kMax, 1, 1}}},
         {any(Reason::overflow), kOrdinary, kOrdinary}},
    }),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Gelu, SpecialValues,
                         testing::ValuesIn(std::vector<Table>{
                             {"erf",
                              ops::gelu().dialect("form=erf"),
                              {{"n", 5}},
                              {{"x", {kNan, kInf, -kInf, kMax, 0}}},
                              {kNanHere, {kFinite, INFINITY}, kNanOrZero, any(Reason::overflow), {kFinite, 0}}},
                             {"tanh",
                              ops::gelu().dialect("form=tanh"),
                              {{"n", 5}},
                              {{"x", {kNan, kInf, -kInf, -kMax, -1e30f}}},
                              {kNanHere, {kFinite, INFINITY}, kNanOrZero, any(Reason::overflow), {kFinite, 0}}},
                             {"fp16_max_is_ordinary",
                              all(ops::gelu().dialect("form=either")),
                              {{"n", 2}},
                              {{"x", {65504, -65504}}},
                              {{kFinite, 65504}, {kFinite, 0}},
                              f16},
                             {"bf16_max_overflows",
                              all(ops::gelu().dialect("form=erf")),
                              {{"n", 1}},
                              {{"x", {3.3e38f}}},
                              {any(Reason::overflow)},
                              bf16},
                         }),
                         [](const auto& info) { return info.param.name; });

const std::map<std::string, std::uint32_t> kFive = {{"n", 5}};
const std::map<std::string, Values> kOdd = {{"x", {kNan, kInf, -kInf, kMax, -kMax}}};
const Expect kPlusInf{kFinite, INFINITY}, kMinusInf{kFinite, -INFINITY}, kZero{kFinite, 0};
constexpr int kCopyOrZero = kBitEqual | kZeroOk;
INSTANTIATE_TEST_SUITE_P(
    Elementwise, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"silu", ops::silu(), kFive, kOdd, {kNanHere, kPlusInf, kNanOrZero, {kFinite, kMax}, kZero}},
        {"silu_fast",
         ops::silu().dialect("fast"),
         kFive,
         kOdd,
         {kNanHere, kPlusInf, kNanOrZero, {kFinite, kMax}, kZero}},
        {"sigmoid", ops::sigmoid(), kFive, kOdd, {kNanHere, {kFinite, 1}, kZero, {kFinite, 1}, kZero}},
        {"sigmoid_fast",
         ops::sigmoid().dialect("fast"),
         kFive,
         kOdd,
         {kNanHere, {kFinite, 1}, kZero, {kFinite, 1}, kZero}},
        {"sigmoid_tanh",
         ops::sigmoid().dialect("via=tanh"),
         kFive,
         kOdd,
         {kNanHere, {kFinite, 1}, kZero, {kFinite, 1}, kZero}},
        {"tanh", ops::tanh(), kFive, kOdd, {kNanHere, {kFinite, 1}, {kFinite, -1}, {kFinite, 1}, {kFinite, -1}}},
        {"tanh_exp",
         ops::tanh().dialect("via=exp"),
         kFive,
         kOdd,
         {kNanHere, {kFinite, 1}, {kFinite, -1}, {kFinite, 1}, {kFinite, -1}}},
        {"relu", ops::relu(), kFive, kOdd, {kNanOrZero, kPlusInf, kZero, {kFinite, kMax}, kZero}},
        {"relu_nan",
         ops::relu().dialect("nan=propagate"),
         kFive,
         kOdd,
         {kNanHere, kPlusInf, kZero, {kFinite, kMax}, kZero}},
        {"relu_small",
         ops::relu(),
         kFive,
         {{"x", {kSub, -kSub, -0.0f, 0, 0x1p-126f}}},
         {{kCopyOrZero, kSub}, kZero, {kZeroOk, 0}, kZero, {kFinite, 0x1p-126}}},
        {"relu_keeps_subnormals",
         ops::relu().dialect("ftz=never"),
         kFive,
         {{"x", {kSub, -kSub, -0.0f, 0, 1}}},
         {{kFinite, kSub}, kZero, {kZeroOk, 0}, kZero, {kFinite, 1}}},
        {"relu_fp16_never_flushes", all(ops::relu()), {{"n", 1}}, {{"x", {0x1p-24f}}}, {{kFinite, 0x1p-24}}, f16},
        {"leaky_relu",
         ops::leaky_relu(),
         kFive,
         kOdd,
         {kNanOrZero, kPlusInf, kMinusInf, {kFinite, kMax}, {kFinite, 0.01f * -double{kMax}}}},
        {"leaky_relu_nan",
         ops::leaky_relu().dialect("nan=propagate"),
         kFive,
         kOdd,
         {kNanHere, kPlusInf, kMinusInf, kOrdinary, kOrdinary}},
        {"leaky_relu_flat",
         ops::leaky_relu().scalar("slope", {0}),
         kFive,
         kOdd,
         {kNanOrZero, kPlusInf, kNanOrZero, kOrdinary, kZero}},
        {"leaky_relu_small",
         ops::leaky_relu(),
         {{"n", 3}},
         {{"x", {kSub, -kSub, 0}}},
         {{kCopyOrZero, kSub}, {kFinite, 0.01f * -double{kSub}}, kZero}},
        {"elu", ops::elu(), kFive, kOdd, {kNanOrZero, kPlusInf, {kFinite, -1}, {kFinite, kMax}, {kFinite, -1}}},
        {"elu_nan",
         ops::elu().dialect("nan=propagate").dialect("via=expm1"),
         kFive,
         kOdd,
         {kNanHere, kPlusInf, {kFinite, -1}, {kFinite, kMax}, {kFinite, -1}}},
        {"elu_small",
         ops::elu().scalar("alpha", {0.5}),
         {{"n", 2}},
         {{"x", {kSub, -kSub}}},
         {{kCopyOrZero, kSub}, {kFinite, -0.5 * kSub}}},
    }),
    [](const auto& info) { return info.param.name; });

const TargetSpec kFloor = ops::l2norm().dialect("form=max"), kRoot = ops::l2norm().dialect("form=sqrt"),
                 kAdded = ops::l2norm().dialect("form=add");
const Expect kOverflows = any(Reason::overflow);
INSTANTIATE_TEST_SUITE_P(
    L2norm, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"nan_row_max_may_ignore_it",
         kFloor,
         kRow3,
         {{"x", {1, kNan, kInf}}},
         {{kNanOk, 1 / double{1e-12f}}, kNanHere, {kNanOk, INFINITY}}},
        {"nan_row_propagates",
         ops::l2norm().dialect("form=max").dialect("nan=propagate"),
         kRow3,
         {{"x", {1, kNan, kInf}}},
         {kNanHere, kNanHere, kNanHere}},
        {"nan_row_root", kRoot, kRow3, {{"x", {1, kNan, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"nan_row_added", kAdded, kRow3, {{"x", {1, kNan, 2}}}, {kNanHere, kNanHere, kNanHere}},
        {"inf_row", kFloor, kRow3, {{"x", {1, -kInf, 0}}}, {kNanOrZero, kNanHere, kNanOrZero}},
        {"zero_row_max", kFloor, kRow3, {{"x", {0, 0, 0}}}, {kZero, kZero, kZero}},
        {"zero_row_added", kAdded, kRow3, {{"x", {0, 0, 0}}}, {kZero, kZero, kZero}},
        {"square_overflows", kFloor, kRow3, {{"x", {2e19f, 1, 1}}}, {kOverflows, kOverflows, kOverflows}},
        {"far_below_eps",
         kFloor,
         kRow3,
         {{"x", {1e-30f, 0, 0}}},
         {{kFinite, 1e-30f * (1 / double{1e-12f})}, kZero, kZero}},
        {"zero_over_zero",
         ops::l2norm().dialect("form=max").scalar("eps", {0}),
         kRow3,
         {{"x", {0, 0, 0}}},
         {any(Reason::ill_conditioned), any(Reason::ill_conditioned), any(Reason::ill_conditioned)}},
    }),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Matmul, SpecialValues,
    testing::ValuesIn(std::vector<Table>{
        {"nan", ops::matmul(), kDot2, {{"a", {kNan, 1}}, {"b", {0, 1}}}, {kNanHere}},
        {"zero_times_inf", ops::matmul(), kDot2, {{"a", {kInf, 1}}, {"b", {0, 1}}}, {kNanHere}},
        {"one_sign", ops::matmul(), kDot2, {{"a", {kInf, 1}}, {"b", {-2, 1}}}, {{kFinite, -INFINITY}}},
        {"both_signs", ops::matmul(), kDot2, {{"a", {kInf, kInf}}, {"b", {-2, 1}}}, {kNanHere}},
        {"one_sign_compensated",
         ops::matmul().dialect("compensated"),
         kDot2,
         {{"a", {kInf, 1}}, {"b", {2, 1}}},
         {{kNanOk, INFINITY}}},
        {"finite_part_overflows",
         ops::matmul(),
         {{"M", 1}, {"N", 1}, {"K", 3}},
         {{"a", {kInf, kMax, 1}}, {"b", {1, -2, 1}}},
         {any(Reason::overflow)}},
        {"nan_even_if_the_rest_overflows",
         ops::matmul(),
         {{"M", 1}, {"N", 1}, {"K", 3}},
         {{"a", {kNan, kMax, 1}}, {"b", {1, 2, 1}}},
         {kNanHere}},
        {"flushable_subnormal_meets_inf",
         ops::matmul(),
         kDot2,
         {{"a", {kSub, 1}}, {"b", {kInf, 1}}},
         {any(Reason::flush_meets_inf)}},
        {"subnormal_meets_nan", ops::matmul(), kDot2, {{"a", {kSub, 1}}, {"b", {kNan, 1}}}, {kNanHere}},
        {"subnormal_meets_inf_without_flushing",
         ops::matmul().dialect("ftz=never"),
         kDot2,
         {{"a", {kSub, 1}}, {"b", {kInf, 1}}},
         {{kFinite, INFINITY}}},
        {"fp16_subnormals_never_flush",
         all(ops::matmul()),
         kDot2,
         {{"a", {0x1p-24f, 1}}, {"b", {kInf, 1}}},
         {{kFinite, INFINITY}},
         f16},
        {"sum_overflows", ops::matmul(), kDot2, {{"a", {1e38f, -1e38f}}, {"b", {3, 3}}}, {any(Reason::overflow)}},
        {"only_its_own_row_and_column",
         ops::matmul(),
         {{"M", 2}, {"N", 2}, {"K", 1}},
         {{"a", {kNan, 1}}, {"b", {2, 3}}},
         {kNanHere, kNanHere, {kFinite, 2}, {kFinite, 3}}},
        {"tf32_rounds_up_to_inf",
         ops::matmul().dialect("tf32"),
         kDot2,
         {{"a", {kMax, 1}}, {"b", {0, 1}}},
         {any(Reason::input_rounding)}},
        {"tf32_truncates_without_overflow",
         ops::matmul().dialect("tf32=truncated"),
         kDot2,
         {{"a", {kMax, 1}}, {"b", {0, 1}}},
         {{kFinite, 1}}},
        {"tf32_subnormal_meets_inf",
         ops::matmul().dialect("tf32"),
         kDot2,
         {{"a", {kSub, 1}}, {"b", {kInf, 1}}},
         {any(Reason::input_rounding)}},
        {"rpr_fp16_overflow",
         all(ops::matmul()).dialect("rpr"),
         kDot2,
         {{"a", {300, -300}}, {"b", {200, 200}}},
         {any(Reason::overflow)},
         f16},
        {"acc16_overflow",
         all(ops::matmul()).dialect("acc=16"),
         kDot2,
         {{"a", {300, -300}}, {"b", {120, 120}}},
         {any(Reason::overflow)},
         f16},
        {"fp32_accumulate_of_fp16_does_not_overflow",
         all(ops::matmul()),
         kDot2,
         {{"a", {300, -300}}, {"b", {200, 200}}},
         {{kFinite, 0}},
         f16},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpfuzz::test
