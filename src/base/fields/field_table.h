// The fields of a struct as the table of a documentation page (form.h): | field | type | meaning |. `[]` behind a name is
// a list, `{}` an object by names, `?` a field that may be absent.
#pragma once
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/fields/form.h"
#include "base/fields/names.h"

namespace warpfuzz {

class FieldTable {
 public:
  explicit FieldTable(std::string prefix = "") : prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  template <class T>
  void lines(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  template <class T>
  void path(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  void hash(const char* key, std::uint64_t, const char* meaning) { row(prefix_ + key, "16 hex digits", meaning); }
  template <class T>
  void count(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key + "?", x, meaning);
  }
  template <class T, class Name>
  void counts(const char* key, const T&, Name, const char* meaning) {
    row(prefix_ + key + "?{}", "whole number", meaning);
  }
  template <class T>
  void figure(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  template <class T>
  void needed(const char* key, const T& x, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  template <class T>
  void unless(const char* key, const T& x, const T&, const char* meaning) {
    add(prefix_ + key, x, meaning);
  }
  template <class T>
  void when(bool, const char* key, const T& x, const char* meaning) {
    add(prefix_ + key + "?", x, meaning);
  }
  template <class T>
  void blob(const char* key, const T&, const char* meaning) {
    row(prefix_ + key, "whole number", meaning);
  }
  template <class T>
  void part(const T& x) {
    if constexpr (requires { title_of(x); }) row("", "", "and the fields of " + link(title_of(x)));
    else fields(*this, x);
  }
  template <class T>
  void merged(const char* key, const std::optional<T>&) {
    const T x{};
    if constexpr (requires { title_of(x); }) row("", "", "and, maybe, the fields of " + link(title_of(x)));
    else {
      row("", "", std::string("all of the following, or (where there is no `") + key + "`) none of them:");
      fields(*this, x);
    }
  }
  void constant(const char* key, const char* text) { row(prefix_ + key, "`\"" + std::string(text) + "\"`", ""); }

  const std::string& rows() const { return rows_; }

  // "[place](protocol.md#place)"
  static std::string link(Title t) {
    std::string anchor(t.title);
    for (char& c : anchor) c = c == ' ' ? '-' : c;
    return "[" + std::string(t.title) + "](" + t.page + "#" + anchor + ")";
  }

 private:
  void row(const std::string& name, const std::string& type, std::string_view meaning) {
    rows_ += "| " + (name.empty() ? "" : "`" + name + "`") + " | " + type + " | " + std::string(meaning) + " |\n";
  }
  template <class T>
  void add(const std::string& name, const T& x, const char* meaning) {
    if constexpr (is_optional<T>) add(name + "?", typename T::value_type{}, meaning);
    else if constexpr (std::same_as<T, Bytes>) row(name, "hex", meaning);
    else if constexpr (is_list<T>) add(name + "[]", typename T::value_type{}, meaning);
    else if constexpr (is_fixed_list<T>) add(name + "[" + std::to_string(std::size(x)) + "]", x[0], meaning);
    else if constexpr (is_map<T>) add(name + "{}", typename T::mapped_type{}, meaning);
    else if constexpr (std::same_as<T, std::string>) row(name, "text", meaning);
    else if constexpr (std::same_as<T, bool>) row(name, "true or false", meaning);
    else if constexpr (std::integral<T>) row(name, "whole number", meaning);
    else if constexpr (std::floating_point<T>) row(name, "number", meaning);
    else if constexpr (NamedEnum<T>) row(name, type_of(names_of(x)), meaning);
    else if constexpr (HasMessage<T>) add(name, message_of(x), meaning);
    else if constexpr (requires { title_of(x); }) row(name, link(title_of(x)), meaning);
    else {
      if (*meaning) row(name, "", meaning);
      FieldTable inside(name + ".");
      fields(inside, x);
      rows_ += inside.rows_;
    }
  }
  // The words themselves where the table lists them, else what they are.
  template <class Table>
  static std::string type_of(const Table& table) {
    if constexpr (requires { table.rows; }) {
      std::string words;
      for (const auto& [value, word] : table.rows)
        if (!word.empty()) words += (words.empty() ? "`" : ", `") + std::string(word) + "`";
      return words;
    } else {
      return std::string(table.what);
    }
  }

  std::string prefix_, rows_;
};

inline constexpr std::string_view kFieldTableHead = "| field | type | meaning |\n|---|---|---|\n";

template <class T>
std::string field_table() {
  FieldTable table;
  const T x{};
  fields(table, x);
  return std::string(kFieldTableHead) + table.rows();
}

}  // namespace warpfuzz
