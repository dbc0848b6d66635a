// Reads targets.json and the target's source; follows its local includes.
#include "export/target_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "client/context.h"
#include "export/declarations.h"
#include "export/tokens.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMaxDepth = 64;

std::string read_source(const std::string& path, const std::string& what) {
  Bytes bytes;
  if (const std::string error = read_file(path, bytes); !error.empty())
    throw Failure(kExitBadFile, fmt::format("{}, {}; where it has moved, configure and build again", error, what));
  return {bytes.begin(), bytes.end()};
}

struct Include {
  std::string name;
  bool quoted = false;
};
// Of a directive; an empty name where it is none.
Include include_of(std::string_view directive) {
  const std::size_t hash = directive.find('#'), word = directive.find_first_not_of(" \t", hash + 1);
  if (word == directive.npos || !directive.substr(word).starts_with("include")) return {};
  const std::size_t open = directive.find_first_of("\"<", word);
  if (open == directive.npos) return {};
  const std::size_t close = directive.find(directive[open] == '"' ? '"' : '>', open + 1);
  if (close == directive.npos) return {};
  return {std::string(directive.substr(open + 1, close - open - 1)), directive[open] == '"'};
}

bool is_once(std::string_view directive) {
  const std::size_t pragma = directive.find("pragma");
  return pragma != directive.npos && words_of(directive.substr(pragma)).contains("once");
}

bool is_own_header(const std::string& name) {
  const std::string folder = name.substr(0, name.find('/'));
  for (const char* ours : {"warpfuzz", WARPFUZZ_LAYERS})
    if (folder == ours) return true;
  return false;
}

class Flattener {
 public:
  Flattener(const BuildEntry& entry, TargetSource& out) : entry_(entry), out_(out) {}

  // The file with its local includes in their places.
  std::string file(const std::string& path, const std::string& from, int depth = 0) {
    if (depth > kMaxDepth)
      throw Failure(kExitBadFile, fmt::format("'{}': more than {} levels of #include", path, kMaxDepth));
    const std::string source = read_source(path, from);
    std::string text = fmt::format("// ---- {}\n", shown(path));
    out_.files.push_back(path);
    for (const Token& t : tokens_of(source))
      text += t.kind == Token::Kind::directive ? directive(t.text, path, depth) : std::string(t.text);
    if (!text.ends_with('\n')) text += '\n';
    return text;
  }

  std::string directive(std::string_view line, const std::string& path, int depth) {
    const std::string_view word = line.substr(std::min(line.find_first_not_of(" \t#"), line.size()));
    conditions_ += word.starts_with("if") ? 1 : word.starts_with("endif") ? -1 : 0;
    if (is_once(line)) return "";
    const Include include = include_of(line);
    if (include.name.empty()) return std::string(line);
    const std::string found = resolve(include, path);
    if (found.empty()) {
      if (include.name == "warpfuzz/target.h") met_target_header = true;
      return is_own_header(include.name) ? "" : std::string(line);
    }
    if (std::find(done_.begin(), done_.end(), found) != done_.end()) return "";
    const bool once = has_once(found, path);
    // Behind an #if the text may be skipped: then the next #include of it must still count.
    if (once && conditions_ == 0) done_.push_back(found);
    std::string text = file(found, fmt::format("which '{}' includes", path), depth + 1);
    if (!once || conditions_ == 0) return text;
    const std::string guard = fmt::format("REPRO_INCLUDED_{}", guards_++);
    return fmt::format("#ifndef {}\n#define {}\n{}#endif\n", guard, guard, text);
  }

  bool met_target_header = false;

 private:
  std::string resolve(const Include& include, const std::string& from) const {
    std::error_code ec;
    std::vector<fs::path> folders;
    if (include.quoted) folders.push_back(fs::path(from).parent_path());
    folders.insert(folders.end(), entry_.includes.begin(), entry_.includes.end());
    for (const fs::path& folder : folders)
      if (fs::is_regular_file(folder / include.name, ec))
        return fs::weakly_canonical(folder / include.name, ec).string();
    return "";
  }
  static bool has_once(const std::string& path, const std::string& from) {
    const std::string text = read_source(path, fmt::format("which '{}' includes", from));
    for (const Token& t : tokens_of(text))
      if (t.kind == Token::Kind::directive && is_once(t.text)) return true;
    return false;
  }
  // Relative to the folder of #include that it lies below.
  std::string shown(const std::string& path) const {
    std::string best = fs::path(path).filename().string();
    for (const std::string& folder : entry_.includes) {
      const std::string relative = fs::path(path).lexically_relative(folder).string();
      if (!relative.empty() && !relative.starts_with("..") && relative.size() > best.size()) best = relative;
    }
    return best;
  }

  const BuildEntry& entry_;
  TargetSource& out_;
  std::vector<std::string> done_;
  int conditions_ = 0, guards_ = 0;
};

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
  const std::vector<Token> all = tokens_of(text);
  std::vector<std::string_view> code;
  for (const Token& t : all)
    if (t.kind == Token::Kind::word || t.kind == Token::Kind::other) code.push_back(t.text);
  for (std::size_t i = 0; i + 3 < code.size(); ++i) {
    if (code[i] != "warpfuzz" || code[i + 1] != ":" || code[i + 3] == "Launch" || code[i + 3] == "DType") continue;
    throw Failure(
        kExitBadFile,
        fmt::format("'{}': what the launcher needs uses warpfuzz::{}, which a .cu without WarpFuzz does not have; "
                    "a launcher may use Launch and DType",
                    path, code[i + 3]));
  }
}

}  // namespace

BuildEntry build_entry(const std::string& bin, const std::string& target) {
  const std::string path = bin + "/targets.json";
  Bytes bytes;
  if (const std::string error = read_file(path, bytes); !error.empty())
    throw Failure(
        kExitNoTarget,
        fmt::format("{}: it says where the source of target '{}' is; name the bin folder of a build with --bin", error,
                    target));
  json list;
  std::string error = parse_json(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), 8, list);
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
    const std::string text = read_source(path, fmt::format("a source of target '{}'", entry.name));
    if (out.launcher.empty()) out.launcher = launcher_of(text, entry.name);
    if (!out.launcher.empty() && main_text.empty()) main_text = text, out.source = path;
    else out.before += flatten.file(path, fmt::format("a source of target '{}'", entry.name));
  }
  if (out.launcher.empty())
    throw Failure(kExitBadFile, fmt::format("'{}': expected WARPFUZZ_TARGET({}, OP, LAUNCHER), found none",
                                            fmt::join(entry.sources, "', '"), entry.name));

  std::vector<Declaration> all = declarations_of(main_text);
  std::set<std::string, std::less<>> included;
  std::size_t target_header = all.size(), last_include = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != Declaration::Kind::directive) continue;
    const std::string text = flatten.directive(all[i].text, out.source, 0);
    if (text != all[i].text && !text.empty()) included.merge(words_of(text)), last_include = i + 1;
    all[i].text = text;
    if (flatten.met_target_header && target_header == all.size()) target_header = i + 1;
  }
  // What stands in front of an included kernel may be what that kernel needs; what stands behind it, only what the launcher needs.
  std::set<std::string, std::less<>> wanted = words_of(out.launcher);
  std::vector<Declaration> front(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(last_include)),
      rest(all.begin() + static_cast<std::ptrdiff_t>(last_include), all.end());
  keep_needed(rest, wanted);
  wanted.merge(included);
  keep_needed(front, wanted);
  std::string kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Declaration& d = i < last_include ? front[i] : rest[i - last_include];
    std::string& to = i < target_header ? out.before : out.after;
    if (d.kind == Declaration::Kind::directive) {
      to += d.text;
    } else if (!d.text.empty()) {
      to += trimmed(d.text) + "\n";
      kept += d.text;
    }
  }
  check_foreign_names(kept + out.launcher, out.source);
  return out;
}

}  // namespace warpfuzz::cli
