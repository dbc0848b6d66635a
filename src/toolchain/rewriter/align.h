// Which token of a macro's invocation each token of its expansion comes from. The arguments keep their order in most expansions, so
// the two are read side by side; where they part (the macro's own text, a macro inside of an argument), the next place at which they
// agree for a while is looked for, not far. A guess can be wrong: it may cost a line number and nothing else.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpfuzz::rewrite {

constexpr std::uint32_t kNotFromOriginal = 0xffffffffu;

// For each token of `expanded` an index into `original`: the token that it is, or the name of the macro in whose place it stands.
std::vector<std::uint32_t> align(std::span<const std::string_view> original,
                                 std::span<const std::string_view> expanded);

}  // namespace warpfuzz::rewrite
