// The flags that a target binary takes: libFuzzer's, in one table, and what to say of an argument that is none of them.
// (libFuzzer itself warns of a flag that it does not know, and then fuzzes without end.)
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz {

// A count has no sign; a big one is held in 32 bits, the others in 31.
enum class FlagValue : std::uint8_t { number, count, big_count, text };
struct FuzzerFlag {
  std::string_view name;
  FlagValue value;
};
std::span<const FuzzerFlag> fuzzer_flags();  // also those that libFuzzer gives its own child processes

// -help=1, and the ways to ask for help that other programs have: -help, -h, --help.
bool asks_for_help(std::string_view argument);

// -ignore_remaining_args=1: what stands behind it is not libFuzzer's, and not ours.
bool ends_flags(std::string_view argument);

// "" or one line about the first argument that starts with a dash and is no flag, or whose value is no number where one is
// expected.
std::string check_flags(const std::vector<std::string>& arguments);  // without argv[0]

}  // namespace warpfuzz
