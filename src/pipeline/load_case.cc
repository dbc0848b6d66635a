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

LoadedCase load_case(const Target& target, const std::string& path) {
  LoadedCase loaded;
  Bytes file;
  if (loaded.error = read_file(path, file); !loaded.error.empty()) return loaded;
  if (path.ends_with(".case")) {
    const ParsedCase p =
        parse_text(target.schema(), std::string_view(reinterpret_cast<const char*>(file.data()), file.size()));
    if (!p.error.empty()) {
      loaded.error = fmt::format("{}: {}", path, p.error);
      return loaded;
    }
    loaded.bytes = encode(target.schema(), p.test_case);
    loaded.expect = p.expect;
    return loaded;
  }
  if (!is_wfz(file)) {
    if (path.ends_with(".wfz"))
      loaded.error = fmt::format("{}: not a .wfz reproducer (no zstd frame at its start)", path);
    else loaded.bytes = std::move(file);
    return loaded;
  }
  ReadResult read = from_wfz(file);
  if (!read.finding) {
    loaded.error = fmt::format("{}: {}", path, read.error);
    return loaded;
  }
  if (read.finding->op != target.schema().op) {
    loaded.error =
        fmt::format("{}: a reproducer of target {} (op {}); this binary is target {} (op {}): run fuzz_{}", path,
                    read.finding->target, read.finding->op, target.name, target.schema().op, read.finding->target);
    return loaded;
  }
  loaded.bytes = bytes_of(target.schema(), *read.finding);
  loaded.finding = std::move(read.finding);
  loaded.finding->bytes = loaded.bytes;
  return loaded;
}

}  // namespace warpfuzz
