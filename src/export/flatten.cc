// The flattener.
#include "export/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/text/cpp_scanner.h"
#include "client/context.h"
#include "export/declarations.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;

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

// Folders of the headers that a target may include; an exported file does without.
constexpr std::string_view kOurs[] = {"warpfuzz", "exec", "numeric", "ops", "schema"};

bool is_own_header(const std::string& name) {
  const std::string folder = name.substr(0, name.find('/'));
  return std::find(std::begin(kOurs), std::end(kOurs), folder) != std::end(kOurs);
}

bool has_once(const std::string& path, const std::string& from) {
  const std::string text = read_source(path, fmt::format("which '{}' includes", from));
  for (const Piece& t : pieces_of(text))
    if (t.kind == PieceKind::directive && is_once(t.text)) return true;
  return false;
}

}  // namespace

std::string read_source(const std::string& path, const std::string& what) {
  const Result<Bytes> bytes = read_file(path);
  if (!bytes)
    throw Failure(kExitBadFile,
                  fmt::format("{}, {}; where it has moved, configure and build again", bytes.line(), what));
  return {bytes->begin(), bytes->end()};
}

std::string Flattener::file(const std::string& path, const std::string& from, int depth) {
  if (depth > kMaxDepth)
    throw Failure(kExitBadFile, fmt::format("'{}': more than {} levels of #include", path, kMaxDepth));
  const std::string source = read_source(path, from);
  std::string text = fmt::format("// ---- {}\n", shown(path));
  out_.files.push_back(path);
  for (const Piece& t : pieces_of(source))
    text += t.kind == PieceKind::directive ? directive(t.text, path, depth) : std::string(t.text);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string Flattener::directive(std::string_view line, const std::string& path, int depth) {
  const std::string_view word = line.substr(std::min(line.find_first_not_of(" \t#"), line.size()));
  conditions_ += word.starts_with("if") ? 1 : word.starts_with("endif") ? -1 : 0;
  if (is_once(line)) return "";
  const Include include = include_of(line);
  if (include.name.empty()) return std::string(line);
  const std::string found = resolve(include.name, include.quoted, path);
  if (found.empty()) {
    if (include.name == "warpfuzz/target.h") met_target_header = true;
    return is_own_header(include.name) ? "" : std::string(line);
  }
  if (std::find(done_.begin(), done_.end(), found) != done_.end()) return "";
  const bool once = has_once(found, path);
  // Behind an #if the text may be skipped: then the next #include of it must still count, and both stand behind one guard.
  if (once && conditions_ == 0) done_.push_back(found);
  std::string text = file(found, fmt::format("which '{}' includes", path), depth + 1);
  if (!once || (conditions_ == 0 && !guards_.contains(found))) return text;
  const std::size_t number = guards_.try_emplace(found, guards_.size()).first->second;
  const std::string guard = fmt::format("REPRO_INCLUDED_{}", number);
  return fmt::format("#ifndef {}\n#define {}\n{}#endif\n", guard, guard, text);
}

Flattener::Part Flattener::part_of_target(std::string_view line, const std::string& path) {
  const Include include = include_of(line);
  const std::string found = include.name.empty() ? "" : resolve(include.name, include.quoted, path);
  if (found.empty() || !is_part_of_target(found)) return {};
  const bool again = std::find(done_.begin(), done_.end(), found) != done_.end();
  if (!again) {
    done_.push_back(found);
    out_.files.push_back(found);
  }
  return {found, again};
}

bool Flattener::is_part_of_target(const std::string& path) const {
  std::vector<std::string> seen;
  return includes_ours(path, entry_.name, seen);
}

bool Flattener::includes_ours(const std::string& path, const std::string& from, std::vector<std::string>& seen) const {
  if (std::find(seen.begin(), seen.end(), path) != seen.end()) return false;
  seen.push_back(path);
  const std::string text = read_source(path, fmt::format("which '{}' includes", from));
  for (const Piece& t : pieces_of(text)) {
    if (t.kind != PieceKind::directive) continue;
    const Include include = include_of(t.text);
    if (include.name.empty()) continue;
    const std::string found = resolve(include.name, include.quoted, path);
    if (found.empty() ? is_own_header(include.name) : includes_ours(found, path, seen)) return true;
  }
  return false;
}

// "" where no local file has the name: the compiler's own headers, and WarpFuzz's.
std::string Flattener::resolve(std::string_view name, bool quoted, const std::string& from) const {
  std::error_code ec;
  std::vector<fs::path> folders;
  if (quoted) folders.push_back(fs::path(from).parent_path());
  folders.insert(folders.end(), entry_.includes.begin(), entry_.includes.end());
  for (const fs::path& folder : folders)
    if (fs::is_regular_file(folder / name, ec)) return fs::weakly_canonical(folder / name, ec).string();
  return "";
}

// Relative to the folder of #include that it lies below.
std::string Flattener::shown(const std::string& path) const {
  std::string best = fs::path(path).filename().string();
  for (const std::string& folder : entry_.includes) {
    const std::string relative = fs::path(path).lexically_relative(folder).string();
    if (!relative.empty() && !relative.starts_with("..") && relative.size() > best.size()) best = relative;
  }
  return best;
}

}  // namespace warpfuzz::cli
