// A struct with fields as JSON (form.h).
#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/fields/form.h"
#include "base/fields/names.h"
#include "base/hex.h"
#include "base/json_fields.h"

namespace warpfuzz {

class JsonWriter {
 public:
  explicit JsonWriter(Form form = Form::whole) : form_(form) {}

  template <class T>
  void operator()(const char* key, const T& x, const char* = "") {
    if constexpr (is_optional<T>) {
      if (x) json_[key] = value(*x);
    } else if (form_ == Form::whole || !is_default(x)) {
      const bool outside = std::exchange(keep_blobs_, keep_blobs_ && !is_bare(key));
      nlohmann::json j = value(x);
      keep_blobs_ = outside;
      if (form_ == Form::whole || !(j.is_object() && j.empty())) json_[key] = std::move(j);
    }
  }
  template <class T>
  void lines(const char* key, const T& text, const char* = "") {
    (*this)(key, text);
  }
  template <class T>
  void path(const char* key, const T& text, const char* = "") {
    (*this)(key, text);
  }
  void hash(const char* key, std::uint64_t h, const char* = "") {
    if (h || form_ == Form::whole) json_[key] = hash_text(h);
  }
  template <std::integral T>
  void count(const char* key, T n, const char* = "") {
    if (n) json_[key] = n;
  }
  template <class T, std::size_t N, class Name>
  void counts(const char* key, const std::array<T, N>& list, Name name_of, const char* = "") {
    for (std::size_t i = 1; i < N; ++i)
      if (list[i]) json_[key][name_of(i)] = list[i];
  }
  void figure(const char* key, double x, const char* = "") { json_[key] = number_to_json(six_digits(x)); }
  template <class T>
  void needed(const char* key, const T& x, const char* = "") {
    json_[key] = value(x);
  }
  template <std::integral T>
  void unless(const char* key, T n, T absent, const char* = "") {
    if (n != absent || form_ == Form::whole) json_[key] = n;
  }
  template <class T>
  void when(bool condition, const char* key, const T& x, const char* = "") {
    if (condition) json_[key] = JsonWriter().value(x);
  }
  template <class Byte>
  void blob(const char* key, const std::vector<Byte>& bytes, const char* = "") {
    if (keep_blobs_) (*this)(key, bytes.size());
  }
  template <class T>
  void part(const T& x) {
    fields(*this, x);
  }
  template <class T>
  void merged(const char*, const std::optional<T>& x) {
    if (x) fields(*this, *x);
  }
  void constant(const char* key, const char* text) { json_[key] = text; }

  // Lists under this key are written without the lengths of their blobs.
  void without_blobs(const char* key) { bare_.push_back(key); }
  nlohmann::json take() { return std::move(json_); }

 private:
  bool is_bare(std::string_view key) const { return std::find(bare_.begin(), bare_.end(), key) != bare_.end(); }

  template <class T>
  static constexpr bool is_numbers = false;  // a fixed list of them
  template <class T, std::size_t N>
  static constexpr bool is_numbers<T[N]> = std::is_arithmetic_v<T>;
  template <class T, std::size_t N>
  static constexpr bool is_numbers<std::array<T, N>> = std::is_arithmetic_v<T>;

  template <class T>
  static bool is_default(const T& x) {
    if constexpr (is_numbers<T>) return trimmed_size(x) == 0;
    else if constexpr (requires { x.empty(); }) return x.empty();
    else if constexpr (std::floating_point<T>) return x == 0 && !std::signbit(x);
    else if constexpr (std::integral<T> || std::is_enum_v<T>) return x == T{};
    else return false;
  }
  template <class T>
  static std::size_t trimmed_size(const T& list) {
    std::size_t n = std::size(list);
    while (n && list[n - 1] == 0) --n;
    return n;
  }

  template <class T>
  nlohmann::json value(const T& x) const {
    if constexpr (std::floating_point<T>) return number_to_json(x);
    else if constexpr (std::integral<T> || std::same_as<T, std::string>) return x;
    else if constexpr (NamedEnum<T>) return names_of(x).name(x);
    else if constexpr (std::same_as<T, Bytes>) return to_hex(x);
    else if constexpr (is_fixed_list<T> || is_list<T>) return list_of(x);
    else if constexpr (is_map<T>) return map_of(x);
    else if constexpr (HasMessage<T>) return value(message_of(x));
    else return object_of(x);
  }
  template <class T>
  nlohmann::json list_of(const T& list) const {
    std::size_t n = std::size(list);
    if constexpr (is_numbers<T>)
      if (form_ == Form::compact) n = trimmed_size(list);  // trailing zeros are implied
    nlohmann::json j = nlohmann::json::array();
    for (std::size_t i = 0; i < n; ++i) j.push_back(value(list[i]));
    return j;
  }
  template <class T>
  nlohmann::json map_of(const T& map) const {
    nlohmann::json j = nlohmann::json::object();
    for (const auto& [key, x] : map) j[key] = value(x);
    return j;
  }
  template <class T>
  nlohmann::json object_of(const T& part) const {
    JsonWriter inside(form_);
    inside.keep_blobs_ = keep_blobs_;
    fields(inside, part);
    return inside.take();
  }

  nlohmann::json json_ = nlohmann::json::object();
  Form form_;
  bool keep_blobs_ = true;
  std::vector<std::string_view> bare_;
};

template <class T>
nlohmann::json to_message(const T& x) {
  JsonWriter writer;
  fields(writer, x);
  return writer.take();
}

}  // namespace warpfuzz
