#include "pipeline/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "numeric/dtype.h"

namespace warpfuzz {
namespace {

constexpr const char* kNames =
    "crashes=DIR known=stop|continue restart=on|off dtype=NAME features=on|off learned=on|off shrink=on|off hang=SECONDS extra=N checked=N gpu=N inflight=on|off counts=FILE";

std::optional<std::string> parse_switch(std::string_view name, std::string_view value, bool& out) {
  if (value == "on" || value == "1") out = true;
  else if (value == "off" || value == "0") out = false;
  else return fmt::format("{}: expected on or off, got '{}'", name, value);
  return {};
}

std::optional<std::string> parse_number(std::string_view name, std::string_view value, int& out) {
  int n = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (error != std::errc() || end != value.data() + value.size() || n < 0)
    return fmt::format("{}: expected a whole number of at least 0, got '{}'", name, value);
  out = n;
  return {};
}

std::optional<std::string> parse_one(std::string_view name, std::string_view value, Options& o) {
  if (name == "crashes") {
    if (value.empty()) return "crashes: expected a folder, got nothing";
    o.crashes = value;
    return {};
  }
  if (name == "counts") {
    if (value.empty()) return "counts: expected a file, got nothing";
    o.counts = value;
    return {};
  }
  if (name == "known") {
    if (value != "continue" && value != "stop") return fmt::format("known: expected continue or stop, got '{}'", value);
    o.known_continue = value == "continue";
    return {};
  }
  if (name == "dtype") {
    if (value.empty()) return "dtype: expected a name such as fp16, got nothing";
    o.dtype = value;
    return {};
  }
  if (name == "restart") return parse_switch(name, value, o.restart);
  if (name == "features") return parse_switch(name, value, o.value_features);
  if (name == "learned") return parse_switch(name, value, o.learned);
  if (name == "shrink") return parse_switch(name, value, o.shrink);
  if (name == "inflight") return parse_switch(name, value, o.in_flight);
  if (name == "hang") return parse_number(name, value, o.hang_seconds);
  if (name == "extra") return parse_number(name, value, o.extra_run_one_in);
  if (name == "checked") return parse_number(name, value, o.checked_run_one_in);
  if (name == "gpu") return parse_number(name, value, o.gpu);
  return fmt::format("unknown option '{}'; known are: {}", name, kNames);
}

}  // namespace

std::optional<std::string> parse_options(std::string_view text, Options& options) {
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    const std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (item.empty()) continue;
    const std::size_t equal = item.find('=');
    if (equal == std::string_view::npos) return fmt::format("'{}': expected name=value; known are: {}", item, kNames);
    if (auto error = parse_one(item.substr(0, equal), item.substr(equal + 1), options)) return error;
  }
  return {};
}

const Options& options() {
  static const Options parsed = [] {
    Options o;
    if (const char* text = std::getenv("WARPFUZZ_OPTIONS")) {
      if (auto error = parse_options(text, o)) {
        std::fprintf(stderr, "warpfuzz: WARPFUZZ_OPTIONS: %s\n", error->c_str());
        std::exit(kExitUsage);
      }
    }
    return o;
  }();
  return parsed;
}

}  // namespace warpfuzz
