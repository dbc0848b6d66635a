// Reading typed fields out of JSON that anyone may have written: nothing throws, the first problem is kept as one line
// that names the field. Also text and numbers that JSON has no spelling for.
#pragma once
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace warpfuzz {

// Finite values are JSON numbers; the others are "inf", "-inf", "nan" or, where the NaN is not the usual one,
// "nan:<16 hex digits>".
nlohmann::json number_to_json(double x);
double six_digits(double x);             // rounded to them; what is not finite stays
std::string hash_text(std::uint64_t h);  // 16 hexadecimal digits

// One value of unknown origin as one of a type: "" or what was expected, which leaves `out` as it is.
std::string read_value(const nlohmann::json& v, bool& out);
std::string read_value(const nlohmann::json& v, double& out);                  // as number_to_json() writes it
std::string read_text(const nlohmann::json& v, std::string& out, bool lines);  // made printable
std::string read_hash(const nlohmann::json& v, std::uint64_t& out);            // as hash_text() writes it
std::string read_signed(const nlohmann::json& v, std::int64_t& out, std::int64_t min, std::int64_t max);
std::string read_unsigned(const nlohmann::json& v, std::uint64_t& out, std::uint64_t max);
template <class T>
  requires std::numeric_limits<T>::is_integer
std::string read_value(const nlohmann::json& v, T& out) {
  using Limits = std::numeric_limits<T>;
  std::conditional_t<Limits::is_signed, std::int64_t, std::uint64_t> wide = 0;
  std::string wrong;
  if constexpr (Limits::is_signed) wrong = read_signed(v, wide, Limits::min(), Limits::max());
  else wrong = read_unsigned(v, wide, Limits::max());
  if (wrong.empty()) out = static_cast<T>(wide);
  return wrong;
}

// Control characters and broken UTF-8 replaced by '?', so that a hostile file cannot drive a terminal. Newlines and
// tabs stay where `lines` says so.
std::string printable(std::string_view s, bool lines);

// Parses at most max_depth levels of nesting.
Result<nlohmann::json> parse_json(std::string_view text, int max_depth);
inline Result<nlohmann::json> parse_json(const Bytes& text, int max_depth) {
  return parse_json({reinterpret_cast<const char*>(text.data()), text.size()}, max_depth);
}

class Fields {
 public:
  // `name` is the path of the object in messages: "v.worst".
  Fields(const nlohmann::json& object, std::string name, std::string& error);

  bool has(const char* key) const;
  const nlohmann::json* find(const char* key) const;  // null where absent, and once something was wrong
  // Absent fields leave the value as it is; one of another type is an error.
  void text(const char* key, std::string& out, bool lines = false) {
    if (const nlohmann::json* v = find(key)) fail_if(key, read_text(*v, out, lines));
  }
  void number(const char* key, double& out) {
    if (const nlohmann::json* v = find(key)) fail_if(key, read_value(*v, out));
  }
  void flag(const char* key, bool& out) {
    if (const nlohmann::json* v = find(key)) fail_if(key, read_value(*v, out));
  }
  template <class T>
  void integer(const char* key, T& out) {
    if (const nlohmann::json* v = find(key)) fail_if(key, read_value(*v, out));
  }
  template <class T>
  void integers(const char* key, std::vector<T>& out, std::size_t max_count) {
    const nlohmann::json* list = array(key, max_count);
    if (!list) return;
    out.clear();
    for (const nlohmann::json& item : *list) fail_if(key, read_value(item, out.emplace_back()));
  }
  void texts(const char* key, std::vector<std::string>& out, std::size_t max_count);
  const nlohmann::json* object(const char* key);  // null where absent or wrong
  const nlohmann::json* array(const char* key, std::size_t max_count);
  void fail(const char* key, std::string_view what);  // "field 'v.worst.ulp': ..."
  std::string path(const char* key) const { return name_.empty() ? key : name_ + "." + key; }

 private:
  void fail_if(const char* key, const std::string& wrong) {
    if (!wrong.empty()) fail(key, wrong);
  }

  const nlohmann::json& json_;
  std::string name_;
  std::string& error_;
};

}  // namespace warpfuzz
