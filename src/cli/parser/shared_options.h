// Options that more than one subcommand has, and how their values are written.
#pragma once
#include <cstdint>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpfuzz::cli {

// A number of seconds, more than 0.
CLI::Option* add_seconds(CLI::App& a, const char* name, double& seconds, const char* what);
// "90", "90s", "45m", "12h" or "7d"; what is stored are seconds.
CLI::Option* add_time(CLI::App& a, const char* name, double& seconds, const char* what);
// --dtype. Which element types there are, the target says: see check_dtype().
void add_dtype(CLI::App& a, std::string& dtype, const char* what);
// --cases, --seed and --jobs of a sweep over random cases; what they hold now is named as the default.
void add_sweep(CLI::App& a, std::uint64_t& cases, std::uint64_t& seed, int& jobs);

}  // namespace warpfuzz::cli
