// Escaping, and filling in.
#include "report/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace warpfuzz::cli {
namespace {

// The character that starts at s[at], and its bytes; 0 bytes where there is none in valid, shortest UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};
Character character(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xc2 && first < 0xe0   ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (!bytes || at + bytes > s.size()) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool shows(std::uint32_t c) {
  if (c == '\n' || c == '\t') return true;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;  // controls
  if (c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
    return false;                                               // direction
  if (c == 0x2028 || c == 0x2029 || c == 0xfeff) return false;  // line ends of another kind, byte order
  return (c & 0xfffe) != 0xfffe;                                // no characters
}

constexpr std::string_view kMark = "<!-- part: ", kMarkEnd = " -->\n";

std::string_view part_of(std::string_view file, std::string_view part) {
  std::size_t begin = 0;
  if (!part.empty()) {
    const std::string line = fmt::format("{}{}{}", kMark, part, kMarkEnd);
    begin = file.find(line);
    if (begin == file.npos) throw std::logic_error(fmt::format("template: there is no part '{}'", part));
    begin += line.size();
  }
  return file.substr(begin, file.find(kMark, begin) - begin);
}

// The name between braces where one begins at text[at]: "{name}"; else "".
std::string_view place_at(std::string_view text, std::size_t at) {
  if (text[at] != '{') return "";
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at + 1);
  return end == text.npos || text[end] != '}' ? "" : text.substr(at + 1, end - at - 1);
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character(text, at);
    if (!c.bytes) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
      continue;
    }
    if (shows(c.code)) out += text.substr(at, c.bytes);
    else out += c.code < 0x100 ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{:04x}", c.code);
    at += c.bytes;
  }
  return out;
}

Markup Markup::escaped(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return Markup(std::move(out));
}

Markup operator""_markup(const char* text, std::size_t size) { return Markup::trusted({text, size}); }

Markup filled(std::string_view file, std::string_view part, std::initializer_list<Field> fields) {
  const std::string_view text = part_of(file, part);
  std::string out;
  std::size_t used = 0;
  std::vector<bool> seen(fields.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view place = place_at(text, at);
    if (place.empty()) {
      out += text[at++];
      continue;
    }
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == place; });
    if (field == fields.end())
      throw std::logic_error(fmt::format("template, part '{}': there is no field for {{{}}}", part, place));
    const auto index = static_cast<std::size_t>(field - fields.begin());
    used += !seen[index];
    seen[index] = true;
    out += field->value.text();
    at += place.size() + 2;
  }
  if (used < fields.size())
    throw std::logic_error(fmt::format("template, part '{}': {} fields have no place", part, fields.size() - used));
  return Markup::trusted(std::move(out));
}

}  // namespace warpfuzz::cli
