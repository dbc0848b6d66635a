// What the writer and the reader of the text form share.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "schema/test_case.h"

namespace warpfuzz::text {

std::string number(double v);  // shortest decimal that reads back to the same value
std::string short_number(float v);
std::optional<double> read_number(std::string_view s);

// "1.5", "-0.25", "Inf", "-max_subnormal": an override's value, negation included.
std::string override_value(const Override& o);
// Sets value and the negate flag; otherwise the nearest value that the form can say goes to `hint`.
bool read_override_value(std::string_view s, Override& o, std::string& hint);

}  // namespace warpfuzz::text
