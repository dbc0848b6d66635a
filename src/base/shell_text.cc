// Quoting for sh, and paths relative to the current folder.
#include "base/shell_text.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/json_fields.h"

namespace warpfuzz {

namespace fs = std::filesystem;

namespace {

// For printf: in sh no quotes can hold a character by its number.
std::string by_number(std::string_view text) {
  std::string format;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && byte < 0x7f && std::string_view("\\'%\"").find(c) == std::string_view::npos;
    format += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return fmt::format("\"$(printf '{}')\"", format);
}

// Below the current folder: the path from there; elsewhere nothing.
std::string below_here(const fs::path& absolute) {
  std::error_code ec;
  const std::string near = absolute.lexically_relative(fs::current_path(ec)).string();
  return near.starts_with("..") ? "" : near;
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  if (printable(text, false) != text) return by_number(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string as_typed(const std::string& path) {
  std::error_code ec;
  fs::path absolute = fs::absolute(path, ec).lexically_normal();
  if (ec) return path;
  std::string near = below_here(absolute);
  if (near.empty() || path.find("..") != std::string::npos) {
    // The folder under another name, or a link in front of "..": by what it is. The file's own name stays, link or not.
    const fs::path given = fs::absolute(path, ec);
    absolute = given.has_filename() && given.filename() != ".." && given.filename() != "."
                   ? fs::weakly_canonical(given.parent_path(), ec) / given.filename()
                   : fs::weakly_canonical(given, ec);
    if (ec) return path;
    near = below_here(absolute);
  }
  if (near.empty()) return absolute.string();
  return near.starts_with('-') ? "./" + near : near;
}

std::string program_as_typed(const std::string& path) {
  const std::string typed = as_typed(path);
  return typed.starts_with('/') || typed.starts_with("./") ? typed : "./" + typed;
}

}  // namespace warpfuzz
