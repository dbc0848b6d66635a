// Outputs against inputs, against each other and against the folders that there are.
#include "client/output_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"

namespace warpfuzz::cli {

namespace fs = std::filesystem;

namespace {

// The folder that a file would be written to.
fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// By inode, so that links and other spellings count. Devices may be read and written at once.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ec;
  return fs::is_regular_file(a, ec) && fs::equivalent(a, b, ec);
}

// As same_file, but neither need be there yet.
bool same_output(const std::string& a, const std::string& b) {
  std::error_code ec;
  if (same_file(a, b)) return true;
  if (fs::exists(a, ec) && !fs::is_regular_file(a, ec)) return false;
  return fs::path(a).filename() == fs::path(b).filename() && fs::equivalent(folder_of(a), folder_of(b), ec);
}

std::string quoted(const std::string& path) { return fmt::format("'{}'", printable(path, false)); }

void check_folder(const NamedOutput& out) {
  std::error_code ec;
  const fs::path folder = folder_of(out.path);
  if (fs::is_directory(folder, ec)) return;
  const bool there = fs::exists(folder, ec);
  throw Failure(kExitCannotWrite,
                fmt::format("{} {}: {}", out.option, quoted(out.path),
                            there ? quoted(folder.string()) + " is a file, where a folder is needed"
                                  : "there is no folder " + quoted(folder.string()) + "; make it first"));
}

}  // namespace

void check_outputs(const Context& c, const std::vector<NamedOutput>& outputs, const std::vector<std::string>& inputs) {
  std::string standard = c.json ? "--json" : "";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedOutput& out = outputs[i];
    if (!out.given()) continue;
    if (out.standard()) {
      if (!standard.empty())
        throw Failure(kExitUsage, fmt::format("{} and {} both go to standard output: name a file for one of them",
                                              standard, out.option));
      standard = out.option;
      continue;
    }
    check_folder(out);
    for (const std::string& input : inputs)
      if (same_file(out.path, input))
        throw Failure(kExitUsage,
                      fmt::format("{} {} is the file that is read{}: name another file", out.option, quoted(out.path),
                                  input == out.path ? "" : fmt::format(" as {}", quoted(input))));
    for (std::size_t k = 0; k < i; ++k)
      if (outputs[k].given() && !outputs[k].standard() && same_output(out.path, outputs[k].path))
        throw Failure(kExitUsage, fmt::format("{} and {} both name {}: one would overwrite the other",
                                              outputs[k].option, out.option, quoted(out.path)));
  }
}

void write_output(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (path == "-") return print(std::string(bytes.begin(), bytes.end()));
  if (const std::string error = write_file(path, bytes, Folders::must_exist); !error.empty())
    throw Failure(kExitCannotWrite, error);
}

void write_output(const std::string& path, const std::string& text) {
  write_output(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace warpfuzz::cli
