// The top level of a C++ file: directives and declarations with the names that they declare and mention.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz::cli {

struct Declaration {
  enum class Kind { directive, target, other } kind = Kind::other;  // target: WARPFUZZ_TARGET(...)
  std::string text;                                                 // with the comments in front of it
  std::vector<std::string> names;
  std::set<std::string, std::less<>> mentions;  // all words
  std::string head;                             // of a namespace block: up to its brace
  std::vector<Declaration> inner;               // of a namespace block
  bool always = false;                          // using namespace
};
std::vector<Declaration> declarations_of(std::string_view source);

std::set<std::string, std::less<>> words_of(std::string_view source);
// The arguments of the call whose tokens `text` holds: split at the commas between the outer parentheses.
std::vector<std::string> arguments_of(std::string_view text);

// Text of what `wanted` needs, directly or through other declarations; adds all words of that to `wanted`. Other declarations
// become empty.
void keep_needed(std::vector<Declaration>& all, std::set<std::string, std::less<>>& wanted);

}  // namespace warpfuzz::cli
