// Bit patterns of memory that nobody has written. Built of 16-bit pieces that are a NaN as fp16 and as bf16, so that a
// wrong cast or a vector access still reads a NaN; as integers they are far outside of any index.
#include "schema/fill/poison.h"

namespace warpfuzz {

std::uint64_t repeated(std::uint64_t bits, std::size_t size) {
  for (std::size_t have = size; have < 8; have *= 2) bits |= bits << 8 * have;
  return bits;
}

std::uint64_t poison_bits(DType t, PoisonKind kind, int variant) {
  std::uint64_t k = static_cast<std::uint64_t>(kind);
  std::uint64_t piece, top;  // the last 16 bits of an element, and its first where it is 8 bytes wide
  if (variant == 0) {
    piece = 0xffd0 + k;
    top = 0xfff8 + k;
  } else if (kind == PoisonKind::output) {
    piece = 0x7fe8;
    top = 0x7ffc;
  } else {
    piece = top = 0x7b50 + k;  // 6e4 as fp16, 1e36 as bf16 and fp32, 1e285 as fp64
  }
  switch (dtype_size(t)) {
    case 1: return (variant == 0 ? 0xd0 : 0x50) + k;
    case 2: return piece;
    case 4: return piece << 16 | piece;
    default: return top << 48 | piece << 32 | piece << 16 | piece;
  }
}

namespace {

int mantissa_bits(DType t) { return info(t).precision - 1; }

// The mantissa of a NaN, from its first bit on, in the place of a double's.
std::uint64_t payload(DType t, std::uint64_t bits) {
  const int width = mantissa_bits(t);
  return (bits & ((std::uint64_t{1} << width) - 1)) << (52 - width);
}

bool is_nan(DType t, std::uint64_t bits) {
  const int width = mantissa_bits(t), exponent = static_cast<int>(8 * dtype_size(t)) - 1 - width;
  const std::uint64_t ones = (std::uint64_t{1} << exponent) - 1;
  return (bits >> width & ones) == ones && payload(t, bits) != 0;
}

constexpr std::string_view kSources[kPoisonKinds] = {"output memory", "workspace memory", "shared memory", "padding"};

// Sets of kinds as bits.
unsigned carried(DType from, std::uint64_t poison, DType t, std::uint64_t found, int kind) {
  const std::uint64_t kept = ~std::uint64_t{0} << (52 - mantissa_bits(t));
  return is_nan(from, poison) && (payload(from, poison) & kept) == found ? 1u << kind : 0;
}

// Memory of this type, read as what it is.
unsigned read_as_it_is(DType t, std::uint64_t found) {
  unsigned kinds = 0;
  for (int k = 0; k < kPoisonKinds; ++k)
    for (int variant : {0, 1}) kinds |= carried(t, poison_bits(t, static_cast<PoisonKind>(k), variant), t, found, k);
  return kinds;
}

// Memory of another type, or of none, which is filled eight bytes at a time: read in pieces, or converted to t.
unsigned read_otherwise(DType t, std::uint64_t found) {
  unsigned kinds = 0;
  for (DType from : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (int k = 0; k < kPoisonKinds; ++k)
      for (int variant : {0, 1}) {
        const auto kind = static_cast<PoisonKind>(k);
        const std::uint64_t word = poison_bits(DType::f64, kind, variant);
        kinds |= carried(from, poison_bits(from, kind, variant), t, found, k);
        kinds |= carried(DType::f64, repeated(poison_bits(DType::f32, kind, variant), 4), t, found, k);
        const std::size_t bits = 8 * dtype_size(from);
        for (std::size_t at = 0; at < 64; at += bits) {
          const std::uint64_t piece = word >> at;
          kinds |= carried(from, bits == 64 ? piece : piece & ((std::uint64_t{1} << bits) - 1), t, found, k);
        }
      }
  return kinds;
}

}  // namespace

std::string_view poison_source(DType t, std::uint64_t bits) {
  if (!info(t).floating || !is_nan(t, bits)) return "";
  const std::uint64_t found = payload(t, bits), first = std::uint64_t{1} << 51;
  const std::uint64_t all = ~std::uint64_t{0} << (52 - mantissa_bits(t)) & (2 * first - 1);
  if (found == first || found == all) return "";  // what processors and GPUs compute
  unsigned kinds = read_as_it_is(t, found);
  if (!kinds) kinds = read_otherwise(t, found);
  if (!kinds) return "";
  for (int k = 0; k < kPoisonKinds; ++k)
    if (kinds == 1u << k) return kSources[k];
  return "memory";
}

}  // namespace warpfuzz
