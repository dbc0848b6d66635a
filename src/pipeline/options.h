// WARPFUZZ_OPTIONS: `name=value` pairs between colons, in the sanitizers' way (base/option_text.h). They steer a campaign and never
// change a verdict. pipeline/options.def is the list.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpfuzz {

struct Options {
#define WARPFUZZ_OPTION(TYPE, MEMBER, INITIAL, ...) TYPE MEMBER = INITIAL;
#include "pipeline/options.def"
#undef WARPFUZZ_OPTION
};

// For people, in the order of the list.
struct OptionInfo {
  std::string_view name;
  std::string values;     // "DIR", "on|off", "SECONDS"
  std::string otherwise;  // what holds where it is not given
  std::string_view meaning;
};
std::span<const OptionInfo> option_infos();
std::string describe_options();  // as -help=1 prints them: a line each

// An error: the first thing that is wrong.
Result<Options> parse_options(std::string_view text);
// From the environment; ends the process with one line and exit code 80 when it is malformed.
const Options& options();

}  // namespace warpfuzz
