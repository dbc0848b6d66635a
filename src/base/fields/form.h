// Messages and file headers as lists of fields. A struct S has one function template `fields(v, s)`, which names each
// field once: v(key, member, meaning). What writes JSON (json_writer.h), what reads it (json_reader.h) and what prints the
// table of a documentation page (field_table.h) visit the same list, so that none can forget a field that another knows.
//
// Members may be texts, truth values, integers, doubles, enums with names (names.h), bytes (as hexadecimal text), structs
// with fields, and lists, fixed arrays, maps by text and std::optional of these. A type of another shape travels as a
// struct where message_of(value) returns one and take_message(struct, value) takes it, "" or what is wrong with it.
// Beside v(key, member, meaning) a visitor has
//   v.lines(key, text, meaning)              a text of several lines
//   v.path(key, text or texts, meaning)      the name of a file, kept byte for byte
//   v.hash(key, integer, meaning)            64 bits as 16 hexadecimal digits
//   v.count(key, integer, meaning)           left out where it is 0
//   v.counts(key, array, name_of, meaning)   an object of the counts that are not 0, by the names of their indices
//   v.figure(key, double, meaning)           a number, to six digits
//   v.needed(key, member, meaning)           never left out
//   v.unless(key, integer, absent, meaning)  an integer whose absence means another value than 0
//   v.when(condition, key, member, meaning)  there where the condition holds; in the form `whole` always
//   v.blob(key, bytes, meaning)              bytes that lie behind the JSON: their length stands in it
//   v.part(struct)                           the struct's fields, in the same object
//   v.merged(key, optional struct)           the same where there is one: where this key is
//   v.constant(key, text)                    a field that always has this value
// A struct that several messages have gets a table of its own where title_of(struct) says how it is called.
#pragma once
#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace warpfuzz {

// T, const for what writes and not for what reads: template <class V, MaybeConst<S> T> void fields(V& v, T& s).
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

enum class Form {
  whole,    // every field is written and must be there, optional members aside
  compact,  // fields with their default value are left out; an absent one has it
};

// The heading of a struct's own table, and its page in docs/.
struct Title {
  const char *title, *page;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class T>
inline constexpr bool is_fixed_list = std::is_array_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_fixed_list<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
concept HasMessage = requires(const T& x) { message_of(x); };

}  // namespace warpfuzz
