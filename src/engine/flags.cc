#include "engine/flags.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/nearest_word.h"
#include "pipeline/options.h"

namespace warpfuzz {
namespace {

constexpr FlagValue number = FlagValue::number, count = FlagValue::count, big_count = FlagValue::big_count,
                    text = FlagValue::text;

// Of clang 19 to 22. A test asks a target binary for its own list (-help=1) and compares the two. A number has a sign where libFuzzer's text or
// code has a use for one (-runs=-1: no end; exit codes are passed on); switches are counts: 0 is off.
constexpr FuzzerFlag kFlags[] = {
    {"analyze_dict", count},
    {"artifact_prefix", text},
    {"cleanse_crash", count},
    {"close_fd_mask", count},
    {"collect_data_flow", text},
    {"create_missing_dirs", count},
    {"cross_over", count},
    {"cross_over_uniform_dist", count},
    {"data_flow_trace", text},
    {"detect_leaks", count},
    {"dict", text},
    {"dump_coverage", count},
    {"entropic", count},
    {"entropic_feature_frequency_threshold", count},
    {"entropic_number_of_rarest_features", count},
    {"entropic_scale_per_exec_time", count},
    {"error_exitcode", number},
    {"exact_artifact_path", text},
    {"exit_on_item", text},
    {"exit_on_src_pos", text},
    {"exit_on_time", number},
    {"features_dir", text},
    {"focus_function", text},
    {"fork", count},
    {"fork_corpus_groups", count},
    {"handle_abrt", count},
    {"handle_bus", count},
    {"handle_fpe", count},
    {"handle_ill", count},
    {"handle_int", count},
    {"handle_segv", count},
    {"handle_term", count},
    {"handle_trap", count},
    {"handle_usr1", count},
    {"handle_usr2", count},
    {"handle_winexcept", count},
    {"handle_xfsz", count},
    {"help", count},
    {"ignore_crashes", count},
    {"ignore_ooms", count},
    {"ignore_remaining_args", count},
    {"ignore_timeouts", count},
    {"jobs", big_count},
    {"keep_seed", count},
    {"len_control", count},
    {"malloc_limit_mb", count},
    {"max_len", count},
    {"max_total_time", number},
    {"merge", count},
    {"merge_control_file", text},
    {"merge_inner", text},
    {"minimize_crash", count},
    {"minimize_crash_internal_step", count},
    {"mutate_depth", count},
    {"mutation_graph_file", text},
    {"only_ascii", count},
    {"prefer_small", count},
    {"print_corpus_stats", count},
    {"print_coverage", count},
    {"print_final_stats", count},
    {"print_full_coverage", count},
    {"print_funcs", number},
    {"print_pcs", count},
    {"purge_allocator_interval", number},
    {"reduce_depth", count},
    {"reduce_inputs", count},
    {"reload", count},
    {"report_slow_units", count},
    {"rss_limit_mb", count},
    {"runs", number},
    {"seed", big_count},
    {"seed_inputs", text},
    {"set_cover_merge", count},
    {"shrink", count},
    {"shuffle", count},
    {"stop_file", text},
    {"timeout", number},
    {"timeout_exitcode", number},
    {"trace_malloc", count},
    {"use_clang_coverage", count},
    {"use_cmp", count},
    {"use_counters", count},
    {"use_memmem", count},
    {"use_value_profile", count},
    {"verbosity", count},
    {"workers", big_count},
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

// The numbers that libFuzzer's type of such a flag holds. Beyond them it aborts or takes another number.
struct Range {
  std::int64_t least, most;
  const char* text;
};
Range range_of(FlagValue value) {
  constexpr std::int64_t kMostInt = 0x7fffffff, kMostUnsigned = 0xffffffff;
  if (value == FlagValue::number) return {-kMostInt, kMostInt, "a whole number of at most 2147483647"};
  if (value == FlagValue::count) return {0, kMostInt, "a whole number from 0 to 2147483647"};
  return {0, kMostUnsigned, "a whole number from 0 to 4294967295"};
}

bool is_number(std::string_view value, const Range& range) {
  std::int64_t n = 0;
  const char* const end = value.data() + value.size();
  const auto [behind, error] = std::from_chars(value.data(), end, n);
  return error == std::errc() && behind == end && n >= range.least && n <= range.most &&
         !(range.least == 0 && value.starts_with('-'));
}

std::string placeholder(const FuzzerFlag& f) { return f.value == FlagValue::text ? "TEXT" : "N"; }

std::string check_one(const std::string& argument) {
  constexpr const char* kAll = "-help=1 lists all flags";
  const Parts p = parts_of(argument);
  const FuzzerFlag* flag = find_flag(p.name);
  if (flag && p.dashes == 1 && p.has_value) {
    const Range range = range_of(flag->value);
    if (flag->value == FlagValue::text || is_number(p.value, range)) return {};
    return fmt::format("-{}: expected {}, got '{}'", p.name, range.text, p.value);
  }
  if (!flag && p.has_value && parse_options(fmt::format("{}={}", p.name, p.value)))
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
