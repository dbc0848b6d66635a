// Bit patterns of memory that nobody has written. Built of 16-bit pieces that are a NaN as fp16 and as bf16, so that a
// wrong cast or a vector access still reads a NaN; as integers they are far outside of any index.
#include "exec/exec.h"

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
    case 1:
      return (variant == 0 ? 0xd0 : 0x50) + k;
    case 2:
      return piece;
    case 4:
      return piece << 16 | piece;
    default:
      return top << 48 | piece << 32 | piece << 16 | piece;
  }
}

}  // namespace warpfuzz
