// A struct with fields out of JSON that anyone may have written (form.h): nothing throws, the first problem is kept as one
// line that names the field. Fields that the list does not have are ignored.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/fields/form.h"
#include "base/fields/names.h"
#include "base/hex.h"
#include "base/json_fields.h"

namespace warpfuzz {

struct Reading {
  Form form = Form::whole;
  std::size_t most = std::size_t{1} << 20;      // entries of a list or a map
  std::vector<std::size_t>* lengths = nullptr;  // of the blobs, in the order in which they are met
};

class JsonReader {
 public:
  // `name` is the path of the object in messages: "v.worst".
  JsonReader(const nlohmann::json& object, std::string name, std::string& error, Reading reading = {})
      : in_(object, std::move(name), error), error_(error), reading_(reading) {}

  template <class T>
  void operator()(const char* key, T& out, const char* = "") {
    if constexpr (is_optional<T>) {
      if (const nlohmann::json* v = in_.find(key)) read(*v, out.emplace(), at(key));
    } else if (const nlohmann::json* v = find(key)) {
      read(*v, out, at(key));
    }
  }
  void lines(const char* key, std::string& out, const char* = "") {
    if (const nlohmann::json* v = find(key)) check(read_text(*v, out, true), at(key));
  }
  void lines(const char* key, std::optional<std::string>& out, const char* = "") {
    if (const nlohmann::json* v = in_.find(key)) check(read_text(*v, out.emplace(), true), at(key));
  }
  void path(const char* key, std::string& out, const char* = "") {
    if (const nlohmann::json* v = find(key)) read_path(*v, out, at(key));
  }
  void path(const char* key, std::optional<std::string>& out, const char* = "") {
    if (const nlohmann::json* v = in_.find(key)) read_path(*v, out.emplace(), at(key));
  }
  void path(const char* key, std::optional<std::vector<std::string>>& out, const char* = "") {
    const nlohmann::json* list = in_.array(key, reading_.most);
    if (!list) return;
    out.emplace();
    for (const nlohmann::json& v : *list) read_path(v, out->emplace_back(), at(key));
  }
  void hash(const char* key, std::uint64_t& h, const char* = "") {
    if (const nlohmann::json* v = find(key)) check(read_hash(*v, h), at(key));
  }
  template <std::integral T>
  void count(const char* key, T& n, const char* = "") {
    if (const nlohmann::json* v = in_.find(key)) read(*v, n, at(key));
  }
  template <class T, std::size_t N, class Name>
  void counts(const char* key, std::array<T, N>& list, Name name_of, const char* = "") {
    const nlohmann::json* object = in_.object(key);
    if (!object) return;
    JsonReader inside(*object, in_.path(key), error_, reading_);
    for (std::size_t i = 1; i < N; ++i) inside.count(name_of(i), list[i]);
  }
  void figure(const char* key, double& x, const char* = "") { (*this)(key, x); }
  template <class T>
  void needed(const char* key, T& out, const char* = "") {
    if (const nlohmann::json* v = find_needed(key)) read(*v, out, at(key));
  }
  template <std::integral T>
  void unless(const char* key, T& n, T absent, const char* = "") {
    n = absent;
    (*this)(key, n);
  }
  template <class T>
  void when(bool, const char* key, T& out, const char* = "") {
    const nlohmann::json* v = in_.find(key);
    if (!v) return;
    const std::size_t most = std::exchange(reading_.most, Reading{}.most);
    read(*v, out, at(key));
    reading_.most = most;
  }
  template <class Byte>
  void blob(const char* key, const std::vector<Byte>&, const char* = "") {
    std::size_t length = 0;
    if (const nlohmann::json* v = in_.find(key)) read(*v, length, at(key));
    if (reading_.lengths) reading_.lengths->push_back(length);
  }
  template <class T>
  void part(T& out) {
    fields(*this, out);
  }
  template <class T>
  void merged(const char* key, std::optional<T>& out) {
    if (in_.find(key)) fields(*this, out.emplace());
  }
  void constant(const char* key, const char* text) {
    std::string got;
    if (const nlohmann::json* v = find_needed(key); v && read_text(*v, got, false).empty() && got == text) return;
    in_.fail(key, std::string("expected '") + text + "'");
  }
  // For what only the reader of the whole struct can know.
  void fail(const char* key, std::string_view what) { in_.fail(key, what); }

 private:
  const nlohmann::json* find(const char* key) {
    return reading_.form == Form::whole ? find_needed(key) : in_.find(key);
  }
  const nlohmann::json* find_needed(const char* key) {
    const nlohmann::json* v = in_.find(key);
    if (!v) in_.fail(key, "missing");
    return v;
  }
  // The path of a field or of a part of one, made when it is wanted: a list may have many entries, all of them right.
  struct At {
    const Fields& in;
    const char* key;
    std::string operator()() const { return in.path(key); }
  };
  At at(const char* key) const { return {in_, key}; }
  template <class Where>
  void check(const std::string& wrong, Where where) {
    if (!wrong.empty() && error_.empty()) error_ = "field '" + where() + "': " + wrong;
  }
  template <class Where>
  void read_path(const nlohmann::json& v, std::string& out, Where where) {
    if (v.is_string()) out = v.get<std::string>();
    else check(std::string("expected text, got ") + v.type_name(), where);
  }

  template <class T, class Where>
  void read(const nlohmann::json& v, T& out, Where where) {
    if constexpr (std::is_arithmetic_v<T>) check(read_value(v, out), where);
    else if constexpr (std::same_as<T, std::string>) check(read_text(v, out, false), where);
    else if constexpr (NamedEnum<T>) read_enum(v, out, where);
    else if constexpr (std::same_as<T, Bytes>) read_bytes(v, out, where);
    else if constexpr (is_fixed_list<T> || is_list<T>) read_list(v, out, where);
    else if constexpr (is_map<T>) read_map(v, out, where);
    else if constexpr (HasMessage<T>) read_message_of(v, out, where);
    else read_object(v, out, where);
  }
  template <class T, class Where>
  void read_enum(const nlohmann::json& v, T& out, Where where) {
    std::string word, wrong = read_text(v, word, false);
    const auto known = names_of(out).find(word);
    if (wrong.empty() && !known)
      wrong = "'" + word.substr(0, 40) + "' is no " + std::string(names_of(out).what) + " that this build knows";
    if (known) out = *known;
    check(wrong, where);
  }
  template <class Where>
  void read_bytes(const nlohmann::json& v, Bytes& out, Where where) {
    std::string text, wrong = read_text(v, text, false);
    std::optional<Bytes> bytes = from_hex(text);
    if (wrong.empty() && !bytes) wrong = "expected pairs of hexadecimal digits, got '" + text.substr(0, 40) + "'";
    if (bytes) out = std::move(*bytes);
    check(wrong, where);
  }
  template <class T, class Where>
  void read_list(const nlohmann::json& v, T& out, Where where) {
    if (!v.is_array()) return check(std::string("expected a list, got ") + v.type_name(), where);
    const std::size_t most = is_list<T> ? reading_.most : std::size(out);
    if (v.size() > most)
      return check("expected at most " + std::to_string(most) + " entries, got " + std::to_string(v.size()), where);
    if constexpr (is_list<T>) out.clear();
    for (std::size_t i = 0; i < v.size() && error_.empty(); ++i) {
      const auto entry = [&] { return where() + "[" + std::to_string(i) + "]"; };
      if constexpr (is_list<T>) read(v[i], out.emplace_back(), entry);
      else read(v[i], out[i], entry);
    }
  }
  template <class T, class Where>
  void read_map(const nlohmann::json& v, T& out, Where where) {
    if (!v.is_object()) return check(std::string("expected an object, got ") + v.type_name(), where);
    if (v.size() > reading_.most)
      return check("expected at most " + std::to_string(reading_.most) + " entries, got " + std::to_string(v.size()),
                   where);
    for (const auto& [key, entry] : v.items()) {
      const std::string name = printable(key, false);
      read(entry, out[name], [&] { return where() + "." + name; });
    }
  }
  template <class T, class Where>
  void read_message_of(const nlohmann::json& v, T& out, Where where) {
    decltype(message_of(out)) message;
    read(v, message, where);
    if (error_.empty()) check(take_message(message, out), where);
  }
  template <class T, class Where>
  void read_object(const nlohmann::json& v, T& out, Where where) {
    if (!v.is_object()) return check(std::string("expected an object, got ") + v.type_name(), where);
    JsonReader inside(v, where(), error_, reading_);
    fields(inside, out);
  }

  Fields in_;
  std::string& error_;
  Reading reading_;
};

// "" or one line; `name`: what the object is called in it.
template <class T>
std::string read_message(const nlohmann::json& j, T& out, std::string name = "", Form form = Form::whole) {
  if (!j.is_object()) return std::string("expected a JSON object, got ") + j.type_name();
  std::string error;
  JsonReader reader(j, std::move(name), error, {form});
  fields(reader, out);
  return error;
}

}  // namespace warpfuzz
