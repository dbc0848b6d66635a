// Finding <-> JSON header, by the lists in finding_fields.h.
#include "findings/finding_json.h"

#include <fmt/format.h>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "findings/finding_fields.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxEntries = 64, kMaxRank = 8;

// The length that a tensor claims must be what its shape needs.
std::string size_error(const TensorSnapshot& t, std::size_t length) {
  if (t.shape.size() > kMaxRank)
    return fmt::format("s': expected at most {} entries, got {}", kMaxRank, t.shape.size());
  std::uint64_t bytes = dtype_size(t.dtype);
  bool overflow = false;
  for (const std::uint32_t d : t.shape) overflow = overflow || __builtin_mul_overflow(bytes, std::uint64_t{d}, &bytes);
  if (overflow || bytes > (std::uint64_t{1} << 48)) return "s': the shape has more elements than any tensor";
  if (length && length != bytes)
    return fmt::format("len': the shape needs {} bytes, the header claims {}", bytes, length);
  return "";
}

std::string size_error(const char* key, const std::vector<TensorSnapshot>& tensors,
                       const std::vector<std::size_t>& lengths) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (const std::string wrong = size_error(tensors[i], lengths[i]); !wrong.empty())
      return fmt::format("field '{}[{}].{}", key, i, wrong);
  return "";
}

// Target names become file names: nothing in them may leave a folder.
bool plain_name(const std::string& s) {
  if (s.empty() || s.size() > 128 || s[0] == '.' || s[0] == '-') return false;
  for (const char c : s) {
    const bool ok =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!ok) return false;
  }
  return true;
}

}  // namespace

json to_json(const Finding& f, bool keep_inputs, bool keep_outputs) {
  JsonWriter writer(Form::compact);
  if (!keep_inputs) writer.without_blobs("in");
  if (!keep_outputs) writer.without_blobs("out");
  fields(writer, f);
  return writer.take();
}

std::string from_json(const json& header, Finding& f, BlobLengths& lengths) {
  if (!header.is_object()) return "the header is no JSON object";
  std::string error;
  std::vector<std::size_t> met;  // the case, then a length for each tensor
  JsonReader reader(header, "", error, {Form::compact, kMaxEntries, &met});
  fields(reader, f);
  if (!plain_name(f.target)) reader.fail("target", "expected the name of a target: letters, digits, '_', '-' and '.'");
  if (!error.empty()) return error;
  const auto tensors = met.begin() + 1, outputs = tensors + static_cast<std::ptrdiff_t>(f.inputs.size());
  lengths.case_bytes = met.front();
  lengths.inputs.assign(tensors, outputs);
  lengths.outputs.assign(outputs, met.end());
  error = size_error("in", f.inputs, lengths.inputs);
  return error.empty() ? size_error("out", f.outputs, lengths.outputs) : error;
}

}  // namespace warpfuzz
