#include "pipeline/load_case.h"

#include <fmt/format.h>

namespace warpfuzz {
namespace {

// The text says the case whatever the schema's lists look like today: a campaign that held one dtype, or a target that has since got
// another, numbers its dtypes differently. The bytes stand in where the text cannot be said any more.
Bytes bytes_of(const Schema& s, const Finding& f) {
  const ParsedCase p = parse_text(s, f.text);
  return !f.text.empty() && p.error.empty() ? encode(s, p.test_case) : canonical(s, f.bytes);
}

}  // namespace

Result<LoadedCase> load_case(const Target& target, const std::string& path) {
  Result<Bytes> file = read_file(path);
  if (!file) return file.error();
  if (path.ends_with(".case")) {
    const ParsedCase p =
        parse_text(target.schema(), std::string_view(reinterpret_cast<const char*>(file->data()), file->size()));
    if (!p.error.empty()) return Error{fmt::format("{}: {}", path, p.error)};
    return LoadedCase{.bytes = encode(target.schema(), p.test_case), .expect = p.expect};
  }
  if (!is_wfz(*file)) {
    if (path.ends_with(".wfz"))
      return Error{fmt::format("{}: not a .wfz reproducer (no zstd frame at its start)", path)};
    return LoadedCase{.bytes = *std::move(file)};
  }
  Result<Finding> read = from_wfz(*file);
  if (!read) return Error{fmt::format("{}: {}", path, read.line())};
  if (read->op != target.schema().op)
    return Error{fmt::format("{}: a reproducer of target {} (op {}); this binary is target {} (op {}): run fuzz_{}",
                             path, read->target, read->op, target.name, target.schema().op, read->target)};
  LoadedCase loaded{.bytes = bytes_of(target.schema(), *read), .finding = *std::move(read)};
  loaded.finding->bytes = loaded.bytes;
  return loaded;
}

}  // namespace warpfuzz
