// Reading typed fields out of JSON that anyone may have written: nothing throws, the first problem is kept as one line
// that names the field. Also text and numbers that JSON has no spelling for.
#pragma once
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz {

// Finite values are JSON numbers; the others are "inf", "-inf", "nan" or, where the NaN is not the usual one,
// "nan:<16 hex digits>".
nlohmann::json number_to_json(double x);

// Control characters and broken UTF-8 replaced by '?', so that a hostile file cannot drive a terminal. Newlines and
// tabs stay where `lines` says so.
std::string printable(std::string_view s, bool lines);

// Parses at most max_depth levels of nesting. "" or one line.
std::string parse_json(std::string_view text, int max_depth, nlohmann::json& out);

class Fields {
 public:
  // `name` is the path of the object in messages: "v.worst".
  Fields(const nlohmann::json& object, std::string name, std::string& error);

  bool has(const char* key) const;
  // Absent fields leave the value as it is; one of another type is an error.
  void text(const char* key, std::string& out, bool lines = false);
  void number(const char* key, double& out);
  void flag(const char* key, bool& out);
  template <class T>
  void integer(const char* key, T& out) {
    if constexpr (std::numeric_limits<T>::is_signed) {
      std::int64_t v = out;
      if (signed_integer(key, v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())) out = static_cast<T>(v);
    } else {
      std::uint64_t v = out;
      if (unsigned_integer(key, v, std::numeric_limits<T>::max())) out = static_cast<T>(v);
    }
  }
  void hash(const char* key, std::uint64_t& out);  // 16 hex digits
  template <class T>
  void integers(const char* key, std::vector<T>& out, std::size_t max_count) {
    const nlohmann::json* list = array(key, max_count);
    if (!list) return;
    out.clear();
    for (const nlohmann::json& item : *list) {
      std::uint64_t v = 0;
      if (!unsigned_value(item, key, v, std::numeric_limits<T>::max())) return;
      out.push_back(static_cast<T>(v));
    }
  }
  void texts(const char* key, std::vector<std::string>& out, std::size_t max_count);
  const nlohmann::json* object(const char* key);  // null where absent or wrong
  const nlohmann::json* array(const char* key, std::size_t max_count);
  void fail(const char* key, std::string_view what);  // "field 'v.worst.ulp': ..."
  std::string path(const char* key) const { return name_.empty() ? key : name_ + "." + key; }

 private:
  const nlohmann::json* find(const char* key) const;
  bool signed_integer(const char* key, std::int64_t& out, std::int64_t min, std::int64_t max);
  bool unsigned_integer(const char* key, std::uint64_t& out, std::uint64_t max);
  bool unsigned_value(const nlohmann::json& value, const char* key, std::uint64_t& out, std::uint64_t max);

  const nlohmann::json& json_;
  std::string name_;
  std::string& error_;
};

}  // namespace warpfuzz
