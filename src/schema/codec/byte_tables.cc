// How often uniformly random bytes give each fill, amplitude and specials rate is decided here and nowhere else:
// 35 % normal, 2 % limits, the rest spread evenly over the other fills; amplitude 1 in half of the cases, else
// 2^-20..2^13; specials in 5 % of tensors. Byte 0 is the simplest choice and the first entries are in order of simplicity.
#include "schema/codec/byte_tables.h"

#include <array>

#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

constexpr int kFloatFills = kFillCount - 1;  // all but index
constexpr int kNormalShare = 90, kLimitsShare = 5;

constexpr std::array<Fill, 256> make_fills() {
  std::array<Fill, 256> t{};
  int normal = 0, limits = 0, at = 0, other = 0;
  for (; at < kFloatFills; ++at) {
    t[at] = static_cast<Fill>(at);
    normal += t[at] == Fill::normal;
    limits += t[at] == Fill::limits;
  }
  for (; normal < kNormalShare; ++normal) t[at++] = Fill::normal;
  for (; limits < kLimitsShare; ++limits) t[at++] = Fill::limits;
  while (at < 256) {
    const auto f = static_cast<Fill>(other++ % kFloatFills);
    if (f != Fill::normal && f != Fill::limits) t[at++] = f;
  }
  return t;
}
constexpr std::array<std::int8_t, 256> make_amps() {
  std::array<std::int8_t, 256> t{};
  std::array<std::int8_t, 33> order{};  // 1, -1, 2, -2, ... 13, -13, -14, ... -20
  int n = 0;
  for (int e = 1; e <= 20; ++e) {
    if (e <= 13) order[n++] = static_cast<std::int8_t>(e);
    order[n++] = static_cast<std::int8_t>(-e);
  }
  for (int i = 1; i <= 128; ++i) t[i] = order[(i - 1) % 33];
  return t;
}
constexpr std::array<std::uint8_t, 256> make_rates() {
  std::array<std::uint8_t, 256> t{};
  constexpr std::uint8_t rates[13] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 1, 2, 4, 16};
  for (int i = 0; i < 13; ++i) t[i + 1] = rates[i];
  return t;
}

constexpr auto kFills = make_fills();
constexpr auto kAmps = make_amps();
constexpr auto kRates = make_rates();

constexpr const char* kFillNames[kFillCount] = {"ones",     "constant", "small_int",     "iota",        "zeros",
                                                "normal",   "uniform",  "offset_normal", "alternating", "cancelling",
                                                "halves",   "sparse",   "outlier",       "subnormal",   "log_uniform",
                                                "raw_tail", "limits",   "one_hot",       "index"};

}  // namespace

const float kConstants[kConstantCount] = {0.5f,  -1.0f, 3.0f,  0.1f, 1.0f / 3, -0.1f, 0.7f, 100.0f,
                                          1e-3f, 1e4f,  7e-5f, 2.0f, -2.5f,    10.0f, 1.5f, -100.0f};
const float kSteps[kStepCount] = {1.0f, -1.0f, 0.125f, 0.1f, 1.0f / 3, -0.015625f, 8.0f, 0.0009765625f};

const char* fill_name(Fill f) { return kFillNames[static_cast<int>(f)]; }

Fill table_fill(std::uint8_t byte) { return kFills[byte]; }
std::uint8_t fill_byte(Fill f) { return f == Fill::index ? 0 : static_cast<std::uint8_t>(f); }

Fill fill_of(const Schema& s, int tensor, std::uint8_t byte) {
  const TensorType type = s.tensors[static_cast<std::size_t>(tensor)].type;
  const Fill f = kFills[byte];
  if (type == TensorType::index32 || type == TensorType::index64) return f == Fill::one_hot ? f : Fill::index;
  return f;
}

int amp_exponent(std::uint8_t byte) { return kAmps[byte]; }
std::uint8_t amp_byte(int exponent) {
  for (int i = 0; i < 256; ++i)
    if (kAmps[static_cast<std::size_t>(i)] == exponent) return static_cast<std::uint8_t>(i);
  return amp_byte(exponent > 13 ? 13 : -20);
}

int rate_of(std::uint8_t byte) { return kRates[byte]; }
std::uint8_t rate_byte(int specials_per_256) {
  std::uint8_t best = 0;
  for (int i = 1; i < 10; ++i)
    if (kRates[static_cast<std::size_t>(i)] <= specials_per_256) best = static_cast<std::uint8_t>(i);
  return best;
}

int offset_exponents(DType t) { return t == DType::f16 ? 9 : t == DType::bf16 ? 7 : 14; }

FillTraits fill_traits(Fill f, std::uint8_t param, DType t) {
  switch (f) {
    case Fill::ones: return {.amp = true};
    case Fill::constant: return {.amp = true, .params = kConstantCount};
    case Fill::small_int: return {.amp = true, .seed = true, .params = 4};
    case Fill::iota: return {.amp = true, .params = kStepCount};
    case Fill::zeros: return {.seed = param % 3 == 2, .params = 3};
    case Fill::normal: return {.amp = true, .seed = true};
    case Fill::uniform: return {.amp = true, .seed = true, .params = 2};
    case Fill::offset_normal: return {.amp = true, .seed = true, .params = 2 * offset_exponents(t)};
    case Fill::alternating: return {.amp = true, .params = kConstantCount};
    case Fill::cancelling: return {.amp = true, .seed = true};
    case Fill::halves: return {.amp = true, .seed = true, .params = 12};
    case Fill::sparse: return {.amp = true, .seed = true, .params = 4};
    case Fill::outlier: return {.amp = true, .seed = true, .params = 8};
    case Fill::subnormal: return {.seed = true};
    case Fill::log_uniform: return {.seed = true, .params = t == DType::f16 ? 1 : kRangeCount};
    case Fill::raw_tail: return {.params = t == DType::f16 ? 1 : kRangeCount};
    case Fill::limits: return {.seed = true, .params = t == DType::f16 ? 1 : kRangeCount};
    case Fill::one_hot: return {.amp = true, .seed = true};
    case Fill::index: return {.seed = (param & 0x83) != 0, .params = 256};
  }
  return {};
}

std::uint8_t index_param(std::uint8_t param, bool out_of_range) {
  std::uint8_t p = param & 3;
  if (static_cast<IndexMode>(p) == IndexMode::repeated) p |= param & 0x7c;
  return out_of_range ? p | (param & 0x80) : p;
}

}  // namespace warpfuzz
