// Reads targets.json and the target's source; follows its local includes.
#include "export/target_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/cpp_scanner.h"
#include "client/context.h"
#include "export/declarations.h"
#include "export/flatten.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

// Lines behind the first lose the indentation that they share.
std::string dedent(const std::string& text) {
  std::size_t shared = std::string::npos;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    const std::size_t code = text.find_first_not_of(' ', at + 1);
    if (code != std::string::npos && text[code] != '\n') shared = std::min(shared, code - at - 1);
  }
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && shared != std::string::npos)
      i += std::min(shared, text.find_first_not_of(' ', i + 1) - i - 1);
  }
  return out;
}

std::string trimmed(const std::string& s) {
  const std::size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

// What only WarpFuzz has cannot go along.
void check_foreign_names(const std::string& text, const std::string& path) {
  std::vector<std::string_view> code;
  for (const Piece& p : pieces_of(text))
    if (is_code(p)) code.push_back(p.text);
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    if (code[i] != "warpfuzz" || code[i + 1] != "::" || code[i + 2] == "Launch" || code[i + 2] == "DType") continue;
    throw Failure(
        kExitBadFile,
        fmt::format("'{}': what the launcher needs uses warpfuzz::{}, which a .cu without WarpFuzz does not have; "
                    "a launcher may use Launch and DType",
                    path, code[i + 2]));
  }
}

// The target's source as declarations, with the files that belong to it in their places.
struct Pieces {
  std::vector<Declaration> all;
  std::set<std::string, std::less<>> included;               // words of the kernel's files
  std::size_t last_include = 0;                              // behind the last of those
  std::size_t target_header = static_cast<std::size_t>(-1);  // behind "warpfuzz/target.h"
};

void take_apart(Flattener& flatten, const std::string& source, const std::string& path, Pieces& out) {
  for (Declaration& d : declarations_of(source)) {
    if (d.kind != Declaration::Kind::directive) {
      out.all.push_back(std::move(d));
      continue;
    }
    if (const Flattener::Part part = flatten.part_of_target(d.text, path); !part.path.empty()) {
      if (!part.again)
        take_apart(flatten, read_source(part.path, fmt::format("which '{}' includes", path)), part.path, out);
      continue;
    }
    const std::string text = flatten.directive(d.text, path);
    if (text != d.text && !text.empty()) {
      out.included.merge(words_of(text));
      out.last_include = out.all.size() + 1;
    }
    d.text = text;
    out.all.push_back(std::move(d));
    if (flatten.met_target_header) out.target_header = std::min(out.target_header, out.all.size());
  }
}

}  // namespace

BuildEntry build_entry(const std::string& bin, const std::string& target) {
  const std::string path = bin + "/targets.json";
  const Result<Bytes> bytes = read_file(path);
  if (!bytes)
    throw Failure(
        kExitNoTarget,
        fmt::format("{}: it says where the source of target '{}' is; name the bin folder of a build with --bin",
                    bytes.line(), target));
  const Result<json> parsed = parse_json(*bytes, 8);
  std::string error = parsed.line();
  const json list = parsed ? *parsed : json();
  Fields in(list, "", error);
  if (const json* targets = error.empty() ? in.array("targets", 100000) : nullptr) {
    for (const json& item : *targets) {
      BuildEntry e;
      Fields f(item, "targets", error);
      f.text("name", e.name);
      if (e.name != target) continue;
      f.texts("sources", e.sources, 1000);
      f.texts("includes", e.includes, 1000);
      f.texts("defines", e.defines, 1000);
      if (error.empty() && e.sources.empty()) error = fmt::format("target '{}' has no sources", target);
      if (error.empty()) return e;
    }
  }
  throw Failure(kExitNoTarget, fmt::format("'{}': {}; configure and build again", path,
                                           error.empty() ? fmt::format("no entry for target '{}'", target) : error));
}

std::string launcher_of(std::string_view text, const std::string& name) {
  for (const Declaration& d : declarations_of(text)) {
    if (d.kind != Declaration::Kind::target) continue;
    const std::vector<std::string> arguments = arguments_of(d.text);
    if (arguments.size() >= 3 && trimmed(arguments[0]) == name) return dedent(trimmed(arguments.back()));
  }
  return "";
}

TargetSource read_target_source(const BuildEntry& entry) {
  TargetSource out;
  out.defines = entry.defines;
  Flattener flatten(entry, out);
  std::string main_text;
  for (const std::string& path : entry.sources) {
    const std::string from = fmt::format("a source of target '{}'", entry.name), text = read_source(path, from);
    if (out.launcher.empty()) out.launcher = launcher_of(text, entry.name);
    if (!out.launcher.empty() && main_text.empty()) {
      main_text = text;
      out.source = path;
      continue;
    }
    std::string flat = flatten.file(path, from);
    if (flatten.is_part_of_target(path)) check_foreign_names(flat, path);
    out.before += std::move(flat);
  }
  if (out.launcher.empty())
    throw Failure(kExitBadFile, fmt::format("'{}': expected WARPFUZZ_TARGET({}, OP, LAUNCHER), found none",
                                            fmt::join(entry.sources, "', '"), entry.name));
  Pieces pieces;
  take_apart(flatten, main_text, out.source, pieces);

  // What stands in front of an included kernel may be what that kernel needs; what stands behind it, only what the launcher needs.
  std::set<std::string, std::less<>> wanted = words_of(out.launcher);
  const auto middle = pieces.all.begin() + static_cast<std::ptrdiff_t>(pieces.last_include);
  std::vector<Declaration> front(pieces.all.begin(), middle), rest(middle, pieces.all.end());
  keep_needed(rest, wanted);
  wanted.merge(pieces.included);
  keep_needed(front, wanted);
  front.insert(front.end(), rest.begin(), rest.end());
  std::string kept;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Declaration& d = front[i];
    std::string& to = i < pieces.target_header ? out.before : out.after;
    if (d.kind == Declaration::Kind::directive) {
      to += d.text;
    } else if (!d.text.empty() && !(d.always && i < pieces.target_header && d.mentions.contains("warpfuzz"))) {
      to += trimmed(d.text) + "\n";
      kept += d.text;
    }
  }
  check_foreign_names(kept + out.launcher, out.source);
  return out;
}

}  // namespace warpfuzz::cli
