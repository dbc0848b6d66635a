// A value, or why there is none: how a function gives back what it may fail to make. The shape of C++23's std::expected.
//
// Which form a function has:
//   Result<T>                  it makes a value and may fail with something to say to a person
//   std::string, [[nodiscard]] it does something and makes no value: "" when it was done, else one line
//   std::optional<T>           there may be no value, and nothing to say about it: a name that is unknown, text that is no number
//   an exception               the command (Failure) and the answers of a served target, where one place reports whatever went wrong
//   the end of the process     a mistake in the target's own code (target_error), a defect of the build
// A line says what, where, expected, got and what to do. Callers hand it on and put in front what they know.
#pragma once
#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/exit_codes.h"

namespace warpfuzz {

struct Error {
  std::string line;
  ExitCode exit_code = kExitBadFile;  // of a process that ends because of it
};

template <class T>
class [[nodiscard]] Result {
 public:
  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Error>) && (!std::is_same_v<std::remove_cvref_t<U>, Result>) &&
            std::convertible_to<U, T>
  Result(U&& value) : content_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The value. Where there is none: std::runtime_error with the line of the error.
  T& value() & { return checked(*this); }
  const T& value() const& { return checked(*this); }
  T&& value() && { return std::move(checked(*this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T otherwise) && { return ok() ? std::move(*this).value() : std::move(otherwise); }

  // Why there is none. An empty line where there is one.
  const Error& error() const {
    static const Error none{};
    return ok() ? none : std::get<1>(content_);
  }
  const std::string& line() const { return error().line; }

 private:
  template <class Self>
  static auto& checked(Self& self) {
    if (!self.ok()) throw std::runtime_error(self.line());
    return std::get<0>(self.content_);
  }

  std::variant<T, Error> content_;
};

}  // namespace warpfuzz
