// Lines of macro arguments. The preprocessor writes the whole expansion of an invocation onto the line on which the invocation begins,
// so that a launcher inside of WARPFUZZ_TARGET(...) would have a single line for the compiler, the sanitizers and the debugger:
//   # 4 "fuzz_softmax.cc"
//   static const TargetDefinition target{"softmax", ops::softmax(), [](const Launch& l) { first(l); second(l); }};
// Here such a line is broken between tokens, with line markers where newlines do not do, as the user's file has it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpfuzz::rewrite {

// A file's text; nothing where it cannot be read.
using ReadFile = std::function<std::optional<std::string>(std::string_view path)>;

// The same tokens in the same order; only newlines and line markers are added. A line whose file is gone or does not fit stays as it is.
std::string spread_macro_lines(std::string_view preprocessed, const ReadFile& read);

}  // namespace warpfuzz::rewrite
