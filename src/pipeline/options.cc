// Reading options by their list. A rule says which values an option takes: how it reads one and what people call it.
#include "pipeline/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/exit_codes.h"
#include "base/option_text.h"

namespace warpfuzz {
namespace {

using Mistake = std::optional<std::string>;  // "expected ..., got ..."

struct Text {
  const char *placeholder, *expected;
  Mistake read(std::string_view value, std::string& out) const {
    if (value.empty()) return fmt::format("expected {}, got nothing", expected);
    out = value;
    return {};
  }
  std::string values() const { return placeholder; }
  static std::string show(const std::string& value) { return value; }
};

struct Either {
  std::string_view no, yes;
  Mistake read(std::string_view value, bool& out) const {
    if (value != no && value != yes) return fmt::format("expected {} or {}, got '{}'", yes, no, value);
    out = value == yes;
    return {};
  }
  std::string values() const { return fmt::format("{}|{}", no, yes); }
  std::string show(bool value) const { return std::string(value ? yes : no); }
};

struct OnOff {
  static constexpr Either kWords{"off", "on"};
  static Mistake read(std::string_view value, bool& out) {
    if (value == "0" || value == "1") value = value == "1" ? "on" : "off";
    return kWords.read(value, out);
  }
  static std::string values() { return "on|off"; }
  static std::string show(bool value) { return kWords.show(value); }
};

struct Whole {
  const char* placeholder;
  static Mistake read(std::string_view value, int& out) {
    int n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n < 0)
      return fmt::format("expected a whole number of at least 0, got '{}'", value);
    out = n;
    return {};
  }
  std::string values() const { return placeholder; }
  static std::string show(int value) { return std::to_string(value); }
};

struct Reader {
  std::string_view name;
  Mistake (*read)(std::string_view value, Options& options);
};
constexpr Reader kReaders[] = {
#define WARPFUZZ_OPTION(TYPE, MEMBER, INITIAL, NAME, VALUES, ...) \
  {NAME, [](std::string_view value, Options& options) { return VALUES.read(value, options.MEMBER); }},
#include "pipeline/options.def"
#undef WARPFUZZ_OPTION
};

std::string all_names() {
  std::vector<std::string> names;
  for (const OptionInfo& o : option_infos()) names.push_back(fmt::format("{}={}", o.name, o.values));
  return fmt::format("known are: {}", fmt::join(names, " "));
}

}  // namespace

std::span<const OptionInfo> option_infos() {
  static const std::vector<OptionInfo> infos = [] {
    const auto shown = [](std::string_view otherwise, std::string initial) {
      return otherwise.empty() ? std::move(initial) : std::string(otherwise);
    };
    return std::vector<OptionInfo>{
#define WARPFUZZ_OPTION(TYPE, MEMBER, INITIAL, NAME, VALUES, OTHERWISE, MEANING) \
  {NAME, VALUES.values(), shown(OTHERWISE, VALUES.show(INITIAL)), MEANING},
#include "pipeline/options.def"
#undef WARPFUZZ_OPTION
    };
  }();
  return infos;
}

std::string describe_options() {
  std::string text = "WARPFUZZ_OPTIONS in the environment, name=value pairs with colons between them:\n";
  for (const OptionInfo& o : option_infos())
    text += fmt::format("  {:<24} {} [{}]\n", fmt::format("{}={}", o.name, o.values), o.meaning, o.otherwise);
  std::erase(text, '`');
  return text;
}

Result<Options> parse_options(std::string_view text) {
  const auto wrong = [](std::string line) { return Error{std::move(line), kExitUsage}; };
  const Result<std::vector<OptionPair>> split = split_options(text);
  if (!split) return split.error();
  const std::vector<OptionPair>& pairs = *split;
  Options options;
  for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
    const auto& [name, value] = *pair;
    if (!value) return wrong(fmt::format("'{}': expected name=value; {}", name, all_names()));
    const auto* reader = std::ranges::find(kReaders, name, &Reader::name);
    if (reader == std::end(kReaders)) return wrong(fmt::format("unknown option '{}'; {}", name, all_names()));
    const auto before = std::find_if(pairs.begin(), pair, [&](const OptionPair& p) { return p.name == name; });
    if (before != pair)
      return wrong(
          fmt::format("{}: expected once, got '{}' and then '{}'; leave one out", name, *before->value, *value));
    if (const Mistake mistake = reader->read(*value, options)) return wrong(fmt::format("{}: {}", name, *mistake));
  }
  return options;
}

const Options& options() {
  static const Options parsed = [] {
    const char* text = std::getenv("WARPFUZZ_OPTIONS");
    Result<Options> o = parse_options(text ? text : "");
    if (o) return *std::move(o);
    std::fprintf(stderr, "warpfuzz: WARPFUZZ_OPTIONS: %s\n", o.line().c_str());
    std::exit(o.error().exit_code);
  }();
  return parsed;
}

}  // namespace warpfuzz
