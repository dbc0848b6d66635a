// Text of unknown origin (names, messages, paths) for HTML, XML and JSON: nothing in it can become markup or drive a viewer.
#pragma once
#include <string>
#include <string_view>

namespace warpfuzz::cli {

// Valid UTF-8 in which every character shows: control characters, characters that turn the direction of writing and bytes that are
// no UTF-8 become \x1b or \u202e. Newlines and tabs stay.
std::string visible(std::string_view text);

// visible(), with & < > " ' as entities: for text and for quoted attributes, of HTML and of XML 1.0 alike.
std::string markup(std::string_view text);

}  // namespace warpfuzz::cli
