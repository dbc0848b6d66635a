#include "engine/flags.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/nearest_word.h"
#include "pipeline/options.h"

namespace warpfuzz {
namespace {

constexpr FlagValue number = FlagValue::number, count = FlagValue::count, text = FlagValue::text;

// Of clang 19 to 22. A test asks a target binary for its own list (-help=1) and compares the two.
constexpr FuzzerFlag kFlags[] = {
    {"analyze_dict", number},
    {"artifact_prefix", text},
    {"cleanse_crash", number},
    {"close_fd_mask", number},
    {"collect_data_flow", text},
    {"create_missing_dirs", number},
    {"cross_over", number},
    {"cross_over_uniform_dist", number},
    {"data_flow_trace", text},
    {"detect_leaks", number},
    {"dict", text},
    {"dump_coverage", number},
    {"entropic", number},
    {"entropic_feature_frequency_threshold", number},
    {"entropic_number_of_rarest_features", number},
    {"entropic_scale_per_exec_time", number},
    {"error_exitcode", number},
    {"exact_artifact_path", text},
    {"exit_on_item", text},
    {"exit_on_src_pos", text},
    {"exit_on_time", number},
    {"features_dir", text},
    {"focus_function", text},
    {"fork", number},
    {"fork_corpus_groups", number},
    {"handle_abrt", number},
    {"handle_bus", number},
    {"handle_fpe", number},
    {"handle_ill", number},
    {"handle_int", number},
    {"handle_segv", number},
    {"handle_term", number},
    {"handle_trap", number},
    {"handle_usr1", number},
    {"handle_usr2", number},
    {"handle_winexcept", number},
    {"handle_xfsz", number},
    {"help", number},
    {"ignore_crashes", number},
    {"ignore_ooms", number},
    {"ignore_remaining_args", number},
    {"ignore_timeouts", number},
    {"jobs", count},
    {"keep_seed", number},
    {"len_control", number},
    {"malloc_limit_mb", number},
    {"max_len", number},
    {"max_total_time", number},
    {"merge", number},
    {"merge_control_file", text},
    {"merge_inner", text},
    {"minimize_crash", number},
    {"minimize_crash_internal_step", number},
    {"mutate_depth", number},
    {"mutation_graph_file", text},
    {"only_ascii", number},
    {"prefer_small", number},
    {"print_corpus_stats", number},
    {"print_coverage", number},
    {"print_final_stats", number},
    {"print_full_coverage", number},
    {"print_funcs", number},
    {"print_pcs", number},
    {"purge_allocator_interval", number},
    {"reduce_depth", number},
    {"reduce_inputs", number},
    {"reload", number},
    {"report_slow_units", number},
    {"rss_limit_mb", number},
    {"runs", number},
    {"seed", count},
    {"seed_inputs", text},
    {"set_cover_merge", number},
    {"shrink", number},
    {"shuffle", number},
    {"stop_file", text},
    {"timeout", number},
    {"timeout_exitcode", number},
    {"trace_malloc", number},
    {"use_clang_coverage", number},
    {"use_cmp", number},
    {"use_counters", number},
    {"use_memmem", number},
    {"use_value_profile", number},
    {"verbosity", number},
    {"workers", count},
};

struct Parts {
  std::string_view name, value;
  int dashes = 0;
  bool has_value = false;
};
Parts parts_of(std::string_view argument) {
  Parts p;
  while (p.dashes < 2 && argument.starts_with('-')) {
    argument.remove_prefix(1);
    ++p.dashes;
  }
  const std::size_t equal = argument.find('=');
  p.name = argument.substr(0, equal);
  p.has_value = equal != std::string_view::npos;
  if (p.has_value) p.value = argument.substr(equal + 1);
  return p;
}

const FuzzerFlag* find_flag(std::string_view name) {
  const auto at = std::ranges::find(kFlags, name, &FuzzerFlag::name);
  return at == std::end(kFlags) ? nullptr : at;
}

const FuzzerFlag* nearest_flag(std::string_view name) {
  std::vector<std::string> names;
  for (const FuzzerFlag& f : kFlags) names.emplace_back(f.name);
  return find_flag(nearest_word(name, names));
}

// In libFuzzer's types: a count is 32 bits wide, and so is a number with its sign. Beyond them it aborts or takes another number.
bool is_number(std::string_view value, bool sign) {
  if (sign && value.starts_with('-')) value.remove_prefix(1);
  if (value.empty() || !std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; })) return false;
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  return error == std::errc() && n <= (sign ? 0x7fffffffu : 0xffffffffu);
}

std::string placeholder(const FuzzerFlag& f) { return f.value == FlagValue::text ? "TEXT" : "N"; }

std::string check_one(const std::string& argument) {
  constexpr const char* kAll = "-help=1 lists all flags";
  const Parts p = parts_of(argument);
  const FuzzerFlag* flag = find_flag(p.name);
  if (flag && p.dashes == 1 && p.has_value) {
    if (flag->value == FlagValue::text || is_number(p.value, flag->value == FlagValue::number)) return {};
    return fmt::format("-{}: expected {}, got '{}'", p.name,
                       flag->value == FlagValue::count ? "a whole number from 0 to 4294967295"
                                                       : "a whole number of at most 2147483647",
                       p.value);
  }
  Options unused;
  if (!flag && p.has_value && !parse_options(fmt::format("{}={}", p.name, p.value), unused))
    return fmt::format("unknown flag '{}'; did you mean WARPFUZZ_OPTIONS={}={} in the environment? {}", argument,
                       p.name, p.value, kAll);
  if (!flag) flag = nearest_flag(p.name);
  if (!flag) return fmt::format("unknown flag '{}'; {}", argument, kAll);
  return fmt::format("unknown flag '{}'; did you mean -{}={}? {}", argument, flag->name,
                     p.has_value ? std::string(p.value) : placeholder(*flag), kAll);
}

}  // namespace

std::span<const FuzzerFlag> fuzzer_flags() { return kFlags; }

bool asks_for_help(std::string_view argument) {
  const Parts p = parts_of(argument);
  if (p.dashes == 0 || (p.name != "help" && p.name != "h")) return false;
  return !p.has_value || (p.name == "help" && p.value != "0");
}

bool ends_flags(std::string_view argument) {
  const Parts p = parts_of(argument);
  return p.dashes == 1 && p.name == "ignore_remaining_args" && p.has_value && p.value != "0";
}

std::string check_flags(const std::vector<std::string>& arguments) {
  for (const std::string& a : arguments) {
    if (!a.starts_with('-')) continue;
    if (const std::string error = check_one(a); !error.empty()) return error;
    if (ends_flags(a)) break;
  }
  return {};
}

}  // namespace warpfuzz
