// Draws the constants of the gates.
#include "gate_constants.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "schema/codec/codec.h"
#include "schema/fill/fill.h"

namespace gates {
namespace {

std::uint64_t announced_seed(const char* gate) {
  std::uint64_t seed = 1;
  if (const char* text = std::getenv("WARPFUZZ_GATE_SEED")) {
    const char* end = text + std::strlen(text);
    if (const auto [rest, error] = std::from_chars(text, end, seed); error != std::errc() || rest != end) {
      std::fprintf(stderr, "%s: WARPFUZZ_GATE_SEED: expected a whole number, got '%s'\n", gate, text);
      std::exit(80);
    }
  }
  std::fprintf(stderr, "%s: WARPFUZZ_GATE_SEED=%llu\n", gate, static_cast<unsigned long long>(seed));
  return seed;
}

// Whatever a dim code without its top bit can mean, asked of the decoder itself.
std::set<std::uint32_t> boundary_values(std::uint32_t max) {
  warpfuzz::Schema schema;
  schema.op = "copy";
  schema.dtypes = {warpfuzz::same_dtype(warpfuzz::DType::f32)};
  warpfuzz::DimSpec n;
  n.name = "n";
  n.max = max;
  schema.dims = {n};
  warpfuzz::TensorSpec x;
  x.name = "x";
  x.shape = {0};
  schema.tensors = {x};
  std::set<std::uint32_t> values;
  for (int code = 0; code < 256; ++code) {
    const warpfuzz::Bytes bytes = {0, 0, 0, 0, static_cast<std::uint8_t>(code), 0};
    values.insert(warpfuzz::decode(schema, bytes).dims[0]);
  }
  return values;
}

bool is_special(double value) {
  for (int i = 0; i < warpfuzz::kSpecialCount; ++i)
    for (auto type : {warpfuzz::DType::f32, warpfuzz::DType::f16, warpfuzz::DType::bf16})
      if (warpfuzz::special_value(i, type) == value) return true;
  return false;
}

}  // namespace

std::vector<int> dims_outside_the_table(const char* gate, int count, std::uint32_t max) {
  warpfuzz::Rng rng(warpfuzz::mix64(announced_seed(gate)));
  const auto taken = boundary_values(max);
  std::vector<int> dims;
  while (static_cast<int>(dims.size()) < count) {
    const std::uint32_t value = 2 + rng.below(max - 1);
    if (!taken.contains(value)) dims.push_back(static_cast<int>(value));
  }
  return dims;
}

float value_outside_the_table(const char* gate) {
  warpfuzz::Rng rng(warpfuzz::mix64(announced_seed(gate)));
  for (;;) {
    const float value = warpfuzz::f16_value(static_cast<std::uint16_t>(1 + rng.below(0x7bff)));
    if (!is_special(value)) return value;
  }
}

void copy_reference(const warpfuzz::RefContext& context, std::vector<warpfuzz::Reference>& refs) {
  const auto& x = context.in[context.schema.tensor_index("x")];
  auto& y = refs[context.schema.tensor_index("y")];
  y.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.r[i] = x[i];
    y.flags[i] = warpfuzz::kBitEqual;
  }
}

}  // namespace gates
