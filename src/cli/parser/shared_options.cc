// The shared options and the checks of their values.
#include "cli/parser/shared_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "base/json_fields.h"

namespace warpfuzz::cli {
namespace {

constexpr double kMostSeconds = 1e6, kMostTime = 1e9;

// "" or what is expected, as a CLI::Validator says it.
std::string seconds_error(const std::string& text) {
  const char* end = text.data() + text.size();
  double seconds = 0;
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && at == end && seconds > 0 && seconds <= kMostSeconds) return "";
  return fmt::format("expected seconds, more than 0 and at most {:.0f}, got '{}'", kMostSeconds,
                     printable(text, false));
}

// Replaces "45m" by "2700".
std::string time_to_seconds(std::string& text) {
  constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  double value = 0, factor = 1;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const auto& u) { return end - at == 1 && *at == u.first; });
  if (unit != std::end(kUnits)) factor = unit->second;
  if (error != std::errc() || (at != end && unit == std::end(kUnits)) || !(value >= 0) || value * factor > kMostTime)
    return fmt::format("expected a time such as 90, 45m, 12h or 7d, got '{}'", printable(text, false));
  text = fmt::format("{}", value * factor);
  return "";
}

std::string dtype_error(const std::string& text) {
  return text.empty() ? "expected the name of an element type, got ''" : "";
}

}  // namespace

CLI::Option* add_seconds(CLI::App& a, const char* name, double& seconds, const char* what) {
  return a.add_option(name, seconds, what)->check(CLI::Validator(seconds_error, "SECONDS"));
}

CLI::Option* add_time(CLI::App& a, const char* name, double& seconds, const char* what) {
  return a.add_option(name, seconds, what)->transform(CLI::Validator(time_to_seconds, "TIME"))->type_name("TIME");
}

void add_dtype(CLI::App& a, std::string& dtype, const char* what) {
  a.add_option("--dtype", dtype, what)->check(CLI::Validator(dtype_error, "NAME"));
}

void add_sweep(CLI::App& a, std::uint64_t& cases, std::uint64_t& seed, int& jobs) {
  a.add_option("--cases", cases, fmt::format("How many random cases (default: {})", cases))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  a.add_option("--seed", seed, fmt::format("Seed of the random cases (default: {})", seed));
  a.add_option("--jobs", jobs, "Processes of the target at a time (default: 1)")->check(CLI::Range(1, 1024));
}

}  // namespace warpfuzz::cli
