// Layout, little-endian: "WARPFUZZ" | u16 major | u16 minor | u32 header length | JSON header | case bytes | data of the
// inputs, then of the outputs, back to back in the header's order. Lengths are the header's and must use up the payload.
#include "findings/container.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "findings/finding_json.h"
#include "numeric/hash.h"

namespace warpfuzz {
namespace {

constexpr char kMagic[] = {'W', 'A', 'R', 'P', 'F', 'U', 'Z', 'Z'};
constexpr std::size_t kPrefix = sizeof kMagic + 2 + 2 + 4, kHeaderLimit = 4u << 20;
constexpr int kMaxDepth = 8;

void append_little(Bytes& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}
std::uint64_t read_little(const std::uint8_t* p, int bytes) {
  std::uint64_t v = 0;
  for (int i = 0; i < bytes; ++i) v |= std::uint64_t{p[i]} << (8 * i);
  return v;
}

std::size_t data_size(const std::vector<TensorSnapshot>& tensors) {
  std::size_t sum = 0;
  for (const TensorSnapshot& t : tensors) sum += t.data.size();
  return sum;
}

void append_data(Bytes& out, const std::vector<TensorSnapshot>& tensors) {
  for (const TensorSnapshot& t : tensors) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(t.data.data());
    out.insert(out.end(), p, p + t.data.size());
  }
}

// Cuts the blobs off the front of `rest`. "" or one line.
std::string take_data(std::span<const std::uint8_t>& rest, const char* list, const std::vector<std::size_t>& lengths,
                      std::vector<TensorSnapshot>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TensorSnapshot& t = tensors[i];
    if (lengths[i] > rest.size()) {
      return fmt::format("{}[{}] claims {} bytes of data, {} are left: the file is cut short", list, i, lengths[i],
                         rest.size());
    }
    t.data.resize(lengths[i]);
    if (lengths[i]) std::memcpy(t.data.data(), rest.data(), lengths[i]);
    rest = rest.subspan(lengths[i]);
    if (lengths[i] && hash_bytes(t.data.data(), t.data.size()) != t.hash) {
      return fmt::format("{}[{}] '{}': the data does not have the recorded hash: the file is damaged", list, i, t.name);
    }
  }
  return "";
}

}  // namespace

Bytes pack_container(const Finding& f) {
  const std::size_t inputs = data_size(f.inputs), outputs = data_size(f.outputs);
  const bool keep_outputs = outputs <= kOutputLimit;
  const bool keep_inputs = inputs + (keep_outputs ? outputs : 0) <= kContainerLimit - 2 * kHeaderLimit;
  // Messages quote what the user's code printed: whatever is no UTF-8 becomes a replacement character.
  const std::string header =
      to_json(f, keep_inputs, keep_outputs).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);

  Bytes out(kMagic, kMagic + sizeof kMagic);
  append_little(out, kContainerMajor, 2);
  append_little(out, kContainerMinor, 2);
  append_little(out, header.size(), 4);
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), f.bytes.begin(), f.bytes.end());
  if (keep_inputs) append_data(out, f.inputs);
  if (keep_outputs) append_data(out, f.outputs);
  return out;
}

Result<Finding> unpack_container(std::span<const std::uint8_t> payload) {
  if (payload.size() < kPrefix)
    return Error{
        fmt::format("the container has {} bytes, {} are the least: the file is cut short", payload.size(), kPrefix)};
  if (std::memcmp(payload.data(), kMagic, sizeof kMagic) != 0) return Error{"a zstd file, but not a WarpFuzz finding"};
  const auto major = read_little(&payload[8], 2), minor = read_little(&payload[10], 2);
  if (major != kContainerMajor) {
    return Error{fmt::format("format version {}.{}, this build reads {}.x: use a build of that version", major, minor,
                             kContainerMajor)};
  }
  const std::size_t header_size = read_little(&payload[12], 4);
  std::span<const std::uint8_t> rest = payload.subspan(kPrefix);
  if (header_size > kHeaderLimit)
    return Error{fmt::format("a header of {} bytes, at most {} are allowed", header_size, kHeaderLimit)};
  if (header_size > rest.size())
    return Error{
        fmt::format("the header claims {} bytes, {} are left: the file is cut short", header_size, rest.size())};

  const Result<nlohmann::json> header =
      parse_json({reinterpret_cast<const char*>(rest.data()), header_size}, kMaxDepth);
  if (!header) return Error{"header: " + header.line()};
  rest = rest.subspan(header_size);

  BlobLengths lengths;
  Finding f;
  std::string error = from_json(*header, f, lengths);
  if (!error.empty()) return Error{"header: " + error};
  if (lengths.case_bytes > rest.size()) {
    return Error{
        fmt::format("the case claims {} bytes, {} are left: the file is cut short", lengths.case_bytes, rest.size())};
  }
  f.bytes.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(lengths.case_bytes));
  rest = rest.subspan(lengths.case_bytes);
  error = take_data(rest, "in", lengths.inputs, f.inputs);
  if (error.empty()) error = take_data(rest, "out", lengths.outputs, f.outputs);
  if (error.empty() && !rest.empty()) error = fmt::format("{} bytes are left over behind the last tensor", rest.size());
  if (!error.empty()) return Error{std::move(error)};
  return f;
}

}  // namespace warpfuzz
