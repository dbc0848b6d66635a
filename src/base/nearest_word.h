// What a misspelt word was meant to be.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz {

// The first of `words` that the fewest letters to insert, drop or replace separate from `word`; "" where each is further away
// than a slip of the fingers: it is another word.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace warpfuzz
