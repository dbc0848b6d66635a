// Enums that are written and read as words: one table of names for both ways.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace warpfuzz {

// An enum E becomes a word in messages where the function names_of(E) returns its table, or something of the same shape.
template <class E, std::size_t N>
struct NameTable {
  std::string_view what;  // in messages and docs: "the run that failed"
  std::pair<E, std::string_view> rows[N];

  constexpr std::string_view name(E e) const {
    for (const auto& [value, word] : rows)
      if (value == e) return word;
    return "?";
  }
  constexpr std::optional<E> find(std::string_view word) const {
    for (const auto& [value, known] : rows)
      if (known == word) return value;
    return std::nullopt;
  }
};

template <class E>
concept NamedEnum = requires(E e) { names_of(e).name(e); };

template <NamedEnum E>
constexpr std::string_view name_of(E e) {
  return names_of(e).name(e);
}

}  // namespace warpfuzz
