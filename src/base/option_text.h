// `name=value` pairs with colons between them: the form of WARPFUZZ_OPTIONS, and of the sanitizers' own variables.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpfuzz {

struct OptionPair {
  std::string name;
  std::optional<std::string> value;  // without its quotes; nothing where there is no '='
};

// The pairs in their order; empty ones are left out. A value that begins with ' or " ends at the next one of the same kind, so that
// it may hold colons; doubled, the quote stands for itself. An error: a quote that does not fit.
Result<std::vector<OptionPair>> split_options(std::string_view text);

// The pairs as text that split_options() reads back, with quotes where a value needs them.
std::string join_options(const std::vector<OptionPair>& pairs);

// `given`, of a user, with ours behind it; what it says of a name that ours say is left out. Text that cannot be split is kept
// as it is: who reads the whole says what is wrong with it.
std::string with_options(std::string_view given, const std::vector<OptionPair>& ours);

}  // namespace warpfuzz
