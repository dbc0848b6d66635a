// Typed, total access to JSON of unknown origin.
#include "base/json_fields.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace warpfuzz {

using nlohmann::json;

json number_to_json(double x) {
  if (std::isfinite(x)) return x;
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return bits == 0x7ff8000000000000ull ? json("nan") : json(fmt::format("nan:{:016x}", bits));
}

namespace {

bool parse_hex(std::string_view s, std::uint64_t& out) {
  if (s.size() != 16) return false;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), out, 16);
  return ec == std::errc() && end == s.data() + s.size();
}

bool parse_special_number(std::string_view s, double& out) {
  std::uint64_t bits = 0;
  if (s == "inf") out = std::numeric_limits<double>::infinity();
  else if (s == "-inf") out = -std::numeric_limits<double>::infinity();
  else if (s == "nan") out = std::bit_cast<double>(0x7ff8000000000000ull);
  else if (s.starts_with("nan:") && parse_hex(s.substr(4), bits) && std::isnan(std::bit_cast<double>(bits)))
    out = std::bit_cast<double>(bits);
  else return false;
  return true;
}

// Length of the valid UTF-8 sequence at s, 0 where there is none.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const unsigned b = byte(0);
  if (b < 0x80) return 1;
  const std::size_t n = b >= 0xf0 && b <= 0xf4 ? 4 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xc2 && b < 0xe0 ? 2 : 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (b == 0xe0 && byte(1) < 0xa0) || (b == 0xf0 && byte(1) < 0x90);
  const bool surrogate_or_beyond = (b == 0xed && byte(1) >= 0xa0) || (b == 0xf4 && byte(1) >= 0x90);
  const bool c1_control = b == 0xc2 && byte(1) < 0xa0;
  return overlong || surrogate_or_beyond || c1_control ? 0 : n;
}

}  // namespace

double six_digits(double x) { return std::isfinite(x) ? std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr) : x; }

std::string hash_text(std::uint64_t h) { return fmt::format("{:016x}", h); }

std::string read_value(const json& v, bool& out) {
  if (!v.is_boolean()) return fmt::format("expected true or false, got {}", v.type_name());
  out = v.get<bool>();
  return "";
}

std::string read_value(const json& v, double& out) {
  if (v.is_number()) out = v.get<double>();
  else if (!v.is_string() || !parse_special_number(v.get_ref<const std::string&>(), out)) return "expected a number";
  return "";
}

std::string read_text(const json& v, std::string& out, bool lines) {
  if (!v.is_string()) return fmt::format("expected text, got {}", v.type_name());
  out = printable(v.get_ref<const std::string&>(), lines);
  return "";
}

std::string read_hash(const json& v, std::uint64_t& out) {
  return v.is_string() && parse_hex(v.get_ref<const std::string&>(), out) ? "" : "expected 16 hexadecimal digits";
}

std::string read_signed(const json& v, std::int64_t& out, std::int64_t min, std::int64_t max) {
  const bool fits = v.is_number_unsigned()
                        ? v.get<std::uint64_t>() <= static_cast<std::uint64_t>(max)
                        : v.is_number_integer() && v.get<std::int64_t>() >= min && v.get<std::int64_t>() <= max;
  if (!fits) return fmt::format("expected a whole number of {}..{}", min, max);
  out = v.get<std::int64_t>();
  return "";
}

std::string read_unsigned(const json& v, std::uint64_t& out, std::uint64_t max) {
  const bool negative = v.is_number_integer() && !v.is_number_unsigned() && v.get<std::int64_t>() < 0;
  if (!v.is_number_integer() || negative || v.get<std::uint64_t>() > max)
    return fmt::format("expected a whole number of 0..{}", max);
  out = v.get<std::uint64_t>();
  return "";
}

std::string printable(std::string_view s, bool lines) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const unsigned char c = static_cast<unsigned char>(s[i]);
    const bool control = (c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || c == 0x7f;
    const std::size_t n = control ? 0 : utf8_length(s.substr(i));
    if (n) out.append(s.substr(i, n));
    else out += '?';
    i += n ? n : 1;
  }
  return out;
}

Result<json> parse_json(std::string_view text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return Error{fmt::format("JSON nested deeper than {} levels", max_depth)};
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  json parsed = json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded()) return Error{"not valid JSON"};
  return parsed;
}

Fields::Fields(const json& object, std::string name, std::string& error)
    : json_(object), name_(std::move(name)), error_(error) {}

const json* Fields::find(const char* key) const {
  if (!error_.empty() || !json_.is_object()) return nullptr;
  const auto it = json_.find(key);
  return it == json_.end() ? nullptr : &*it;
}

bool Fields::has(const char* key) const { return json_.is_object() && json_.contains(key); }

void Fields::fail(const char* key, std::string_view what) {
  if (error_.empty()) error_ = fmt::format("field '{}': {}", path(key), what);
}

void Fields::texts(const char* key, std::vector<std::string>& out, std::size_t max_count) {
  const json* list = array(key, max_count);
  if (!list) return;
  out.clear();
  for (const json& item : *list) {
    if (!item.is_string()) return fail(key, "expected a list of texts");
    out.push_back(printable(item.get_ref<const std::string&>(), false));
  }
}

const json* Fields::object(const char* key) {
  const json* v = find(key);
  if (!v) return nullptr;
  if (v->is_object()) return v;
  fail(key, fmt::format("expected an object, got {}", v->type_name()));
  return nullptr;
}

const json* Fields::array(const char* key, std::size_t max_count) {
  const json* v = find(key);
  if (!v) return nullptr;
  if (!v->is_array()) return fail(key, fmt::format("expected a list, got {}", v->type_name())), nullptr;
  if (v->size() > max_count)
    return fail(key, fmt::format("expected at most {} entries, got {}", max_count, v->size())), nullptr;
  return v;
}

}  // namespace warpfuzz
