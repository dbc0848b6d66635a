// Files, target binaries, printing.
#include "client/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/process/self.h"

namespace warpfuzz::cli {

namespace fs = std::filesystem;

std::string own_folder() {
  const fs::path self = this_program();
  return self.empty() ? "." : self.parent_path().string();
}

std::string plain_target(std::string name) {
  if (name.starts_with("fuzz_")) name.erase(0, 5);
  return name;
}

std::vector<std::string> target_names(const Context& c) {
  std::vector<std::string> names;
  std::error_code ec;
  for (const fs::directory_entry& entry : fs::directory_iterator(c.bin, ec)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("fuzz_") || name.find('.') != std::string::npos) continue;
    if (!entry.is_regular_file(ec) || ::access(entry.path().c_str(), X_OK) != 0) continue;
    names.push_back(name.substr(5));
  }
  if (ec)
    throw Failure(kExitNoTarget, fmt::format("cannot list '{}': {}; name the folder of the target binaries with --bin",
                                             c.bin, ec.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::string target_binary(const Context& c, const std::string& target) {
  const bool plain = !target.empty() && target.find('/') == std::string::npos;
  const std::string path = c.bin + "/fuzz_" + target;
  if (plain && ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path)) return path;
  const std::vector<std::string> names = target_names(c);
  throw Failure(kExitNoTarget,
                fmt::format("no target '{}': expected the binary '{}'; {}, or name another folder with --bin",
                            printable(target, false), printable(path, false),
                            names.empty() ? "there are none in that folder: build them"
                                          : fmt::format("there are {}", fmt::join(names, ", "))));
}

void check_dtype(const Description& description, const std::string& dtype) {
  if (dtype.empty()) return;
  const std::vector<std::string>& known = description.dtypes;
  if (std::find(known.begin(), known.end(), dtype) != known.end()) return;
  throw Failure(kExitUsage, fmt::format("--dtype: target {} takes one of {}, got '{}'", description.target,
                                        fmt::join(known, ", "), printable(dtype, false)));
}

Bytes read_input(const std::string& path) { return must(read_file(path == "-" ? "/dev/stdin" : path)); }

CaseFile load(const std::string& path) {
  CaseFile file;
  file.path = path;
  file.bytes = must(read_file(path));
  if (path.ends_with(".wfz") || is_wfz(file.bytes)) {
    file.kind = CaseFile::Kind::wfz;
    Result<Finding> r = from_wfz(file.bytes);
    if (!r) throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(path, false), r.line()));
    file.finding = *std::move(r);
    file.bytes = file.finding->bytes;
  } else if (path.ends_with(".case")) {
    file.kind = CaseFile::Kind::text;
    file.text.assign(file.bytes.begin(), file.bytes.end());
    file.bytes.clear();
  }
  return file;
}

Encoded encode_case(const Context& c, TargetClient& target, const std::string& path, const std::string& text) {
  must(target.hello());  // a target that does not start is no matter of the case
  Reply<Encoded> r = target.ask(EncodeRequest{text}, c.limit(kQuickSeconds));
  if (r.exit_code == kExitTargetError)
    throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(path, false), r.error));
  return must(std::move(r));
}

std::string target_of(const CaseFile& file, const std::string& option) {
  if (!option.empty()) return plain_target(option);
  if (file.finding) return file.finding->target;
  std::error_code ec;
  const std::string folder = fs::absolute(file.path, ec).lexically_normal().parent_path().filename().string();
  if (folder.empty())
    throw Failure(kExitUsage,
                  fmt::format("which target is '{}' a case of? Name it with --target", printable(file.path, false)));
  return folder;
}

void check_target(const CaseFile& file, const std::string& target) {
  if (!file.finding || file.finding->target == target) return;
  throw Failure(kExitUsage,
                fmt::format("'{}' is a finding of target {}, not of {}: its bytes mean something else there",
                            printable(file.path, false), file.finding->target, printable(target, false)));
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right_aligned) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool right = i < right_aligned.size() && right_aligned[i];
      if (i) out += "  ";
      if (right) out += fmt::format("{:>{}}", row[i], widths[i]);
      else out += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}", row[i], widths[i]);
    }
    out += '\n';
  }
  return out;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_json(const nlohmann::json& j) {
  print(j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void note(const std::string& line) {
  // What was printed so far comes first where both streams end in one file.
  std::fflush(stdout);
  const std::string text = "warpfuzz: " + line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace warpfuzz::cli
