#include "report/markup.h"

#include <fmt/format.h>

#include <cstdint>

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

std::string markup(std::string_view text) {
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
  return out;
}

}  // namespace warpfuzz::cli
