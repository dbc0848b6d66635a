// Text of unknown origin (names, messages, paths) for HTML, XML and JSON: nothing in it can become markup or drive a viewer.
#pragma once
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace warpfuzz::cli {

// Valid UTF-8 in which every character shows: control characters, characters that turn the direction of writing and bytes that are
// no UTF-8 become \x1b or \u202e. Newlines and tabs stay.
std::string visible(std::string_view text);

// What may stand in a page as it is, of HTML and of XML 1.0 alike. A string does not turn into it by itself: where one is forgotten to be
// escaped, the code does not compile.
class Markup {
 public:
  Markup() = default;
  // visible(), with & < > " ' as entities: for text and for quoted attributes.
  static Markup escaped(std::string_view text);
  // What another program wrote as markup, for instance an <svg> element.
  static Markup trusted(std::string text) { return Markup(std::move(text)); }

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  Markup& operator+=(const Markup& more) {
    text_ += more.text_;
    return *this;
  }
  friend Markup operator+(Markup a, const Markup& b) { return std::move(a += b); }

 private:
  explicit Markup(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// A literal of the source: "<b>"_markup.
Markup operator""_markup(const char* text, std::size_t size);

// What stands in the place of {name} in a template. Text is escaped here.
struct Field {
  Field(std::string_view name, Markup value) : name(name), value(std::move(value)) {}
  Field(std::string_view name, std::string_view text) : name(name), value(Markup::escaped(text)) {}
  Field(std::string_view name, const std::string& text) : Field(name, std::string_view(text)) {}
  Field(std::string_view name, const char* text) : Field(name, std::string_view(text)) {}
  template <std::integral N>
  Field(std::string_view name, N number) : Field(name, std::to_string(number)) {}

  std::string_view name;
  Markup value;
};

// The part of a file of templates (report/templates.h), filled in; part "" is the first one. An std::logic_error where the part does not
// exist, or its places and the fields do not have the same names.
Markup filled(std::string_view file, std::string_view part, std::initializer_list<Field> fields);

}  // namespace warpfuzz::cli
