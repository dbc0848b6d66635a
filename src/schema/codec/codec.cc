// Bytes <-> TestCase. Every byte string decodes; what encode() writes is the one canonical form of a case.
#include "schema/codec/codec.h"

#include <algorithm>

#include "schema/codec/wire.h"
#include "schema/dims.h"

namespace warpfuzz {
namespace {

using namespace wire;

// Missing bytes read as zero.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t u8(std::size_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(u8(at) | u8(at + 1) << 8); }
  std::uint32_t u32(std::size_t at) const { return u16(at) | static_cast<std::uint32_t>(u16(at + 2)) << 16; }

 private:
  std::span<const std::uint8_t> bytes_;
};

Override read_override(const Reader& r, std::size_t at) {
  Override o;
  o.tensor = r.u8(at);
  o.flags = r.u8(at + 1);
  for (std::size_t i = 0; i < 4; ++i) o.at[i] = r.u16(at + 2 + 2 * i);
  o.value = r.u16(at + 10);
  return o;
}

void put16(Bytes& out, std::size_t at, std::uint16_t v) {
  out[at] = static_cast<std::uint8_t>(v);
  out[at + 1] = static_cast<std::uint8_t>(v >> 8);
}

}  // namespace

TestCase decode(const Schema& s, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  const Reader r(bytes);
  TestCase c;
  c.dtype = r.u8(kDTypeAt);
  c.flags = r.u8(kFlagsAt);
  for (std::size_t i = 0; i < s.dims.size(); ++i)
    c.dims[i] = s.dims[i].derive ? 0 : dim_from_code(s.dims[i], r.u16(kDimsAt + 2 * i));
  for (std::size_t i = 0; i < s.dims.size(); ++i) c.from[i] = r.u16(kTensorsAt + kTensorSize * i + kFromAt);
  for (std::size_t i = 0; i < kMaxScalars; ++i) c.scalars[i] = r.u8(kScalarsAt + i);
  c.calls = r.u8(kCallsAt);
  c.order = r.u8(kOrderAt);
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const std::size_t at = kTensorsAt + kTensorSize * t;
    TensorRecipe& recipe = c.tensors[t];
    recipe = {r.u8(at),
              r.u8(at + 1),
              r.u8(at + 2),
              r.u8(at + 3),
              r.u32(at + 4),
              static_cast<Layout>(r.u8(at + 8) & 3),
              !s.tensors[t].optional || (r.u8(at + 9) & 1) != 0};
  }
  if (bytes.size() > kHeaderSize) {
    c.dtype = s.dtypes.empty() ? 0 : static_cast<std::uint8_t>(c.dtype % s.dtypes.size());  // the tail's size needs it
    const std::size_t body = bytes.size() - kHeaderSize, tail = std::min(body, tail_capacity(s, c));
    c.tail.assign(bytes.end() - static_cast<std::ptrdiff_t>(tail), bytes.end());
    const Reader head(bytes.first(bytes.size() - tail));
    const std::size_t records = std::min((body - tail + kOverrideSize - 1) / kOverrideSize, kMaxOverrides);
    c.overrides.reserve(records);
    for (std::size_t i = 0; i < records; ++i) {
      const Override o = read_override(head, kHeaderSize + kOverrideSize * i);
      if (o != Override{}) c.overrides.push_back(o);  // twelve zeros are padding
    }
  }
  repair(s, c);
  return c;
}

Bytes encode(const Schema& s, const TestCase& given) {
  TestCase c = given;
  repair(s, c);
  const std::size_t tail = c.overrides.empty() ? c.tail.size() : c.tail.empty() ? 0 : tail_capacity(s, c);
  const std::size_t records = kHeaderSize + kOverrideSize * c.overrides.size();
  Bytes out(records + tail, 0);
  out[kVersionAt] = kVersion;
  out[kDTypeAt] = c.dtype;
  out[kFlagsAt] = c.flags;
  for (std::size_t i = 0; i < s.dims.size(); ++i) put16(out, kDimsAt + 2 * i, dim_to_code(s.dims[i], c.dims[i]));
  for (std::size_t i = 0; i < s.dims.size(); ++i) put16(out, kTensorsAt + kTensorSize * i + kFromAt, c.from[i]);
  for (std::size_t i = 0; i < kMaxScalars; ++i) out[kScalarsAt + i] = c.scalars[i];
  out[kCallsAt] = c.calls;
  out[kOrderAt] = c.order;
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    const std::size_t at = kTensorsAt + kTensorSize * t;
    const TensorRecipe& r = c.tensors[t];
    out[at] = r.fill;
    out[at + 1] = r.amp;
    out[at + 2] = r.param;
    out[at + 3] = r.rate;
    put16(out, at + 4, static_cast<std::uint16_t>(r.seed));
    put16(out, at + 6, static_cast<std::uint16_t>(r.seed >> 16));
    out[at + 8] = static_cast<std::uint8_t>(r.layout);
    out[at + 9] = s.tensors[t].optional && r.present ? 1 : 0;
  }
  for (std::size_t i = 0; i < c.overrides.size(); ++i) {
    const std::size_t at = kHeaderSize + kOverrideSize * i;
    const Override& o = c.overrides[i];
    out[at] = o.tensor;
    out[at + 1] = o.flags;
    for (std::size_t k = 0; k < 4; ++k) put16(out, at + 2 + 2 * k, o.at[k]);
    put16(out, at + 10, o.value);
  }
  std::copy(c.tail.begin(), c.tail.end(), out.end() - static_cast<std::ptrdiff_t>(c.tail.size()));
  while (!out.empty() && out.back() == 0) out.pop_back();
  return out;
}

}  // namespace warpfuzz
