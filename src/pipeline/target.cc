#include "pipeline/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/exit_codes.h"
#include "oracle/judge.h"
#include "pipeline/options.h"
#include "schema/dims.h"
#include "warpfuzz/definition.h"

namespace warpfuzz {
namespace {

const TargetRegistration* g_first = nullptr;  // filled before main(), in no order that matters

Target make_target() {
  const TargetDefinition& d = only_definition();
  Target t{d.name, d.spec, d.launcher};
  if (!d.launcher)
    target_error(fmt::format(
        "target {}: has no launcher; give WARPFUZZ_TARGET a function of const Launch& as its third argument", d.name));
  if (const std::string error = t.spec.validate(); !error.empty())
    target_error(fmt::format("target {}: {}", d.name, error));
  if (options().dtype.empty()) return t;
  if (const std::string error = hold_dtype(t.spec, options().dtype); !error.empty()) {
    std::fprintf(stderr, "warpfuzz: WARPFUZZ_OPTIONS: %s\n", error.c_str());
    std::exit(kExitUsage);
  }
  return t;
}

}  // namespace

TargetRegistration::TargetRegistration(const char* file, int line, const TargetDefinition& (*definition)())
    : file(file), line(line), definition(definition), next(g_first) {
  g_first = this;
}

const TargetDefinition& only_definition() {
  if (!g_first)
    target_error(
        "no WARPFUZZ_TARGET in the sources of this binary: expected one, in a file that warpfuzz_add_target() names among SOURCES");
  if (const TargetRegistration* other = g_first->next)
    target_error(fmt::format(
        "two WARPFUZZ_TARGETs in the sources of this binary, at {}:{} and at {}:{}: expected one; each target "
        "is a warpfuzz_add_target() of its own",
        other->file, other->line, g_first->file, g_first->line));
  return g_first->definition();
}

const char* this_target_file() { return g_first ? g_first->file : ""; }

const Target& this_target() {
  static const Target target = make_target();
  return target;
}

std::string hold_dtype(TargetSpec& spec, const std::string& name) {
  std::vector<std::string> known;
  for (const DTypeCombo& d : spec.schema().dtypes) {
    known.push_back(d.name);
    if (d.name != name) continue;
    if (d.in == d.out) spec.dtypes({d.in});
    else spec.dtypes({}).mixed({d});
    return {};
  }
  return fmt::format("dtype: expected one of {}, got '{}'", fmt::join(known, ", "), name);
}

std::string range_of(const DimSpec& d) {
  if (d.derive) return fmt::format("{} (of the others)", d.name);
  const std::uint32_t lo = smallest_dim(d), hi = largest_dim(d);
  return fmt::format("{} {}{}", d.name, lo == hi ? fmt::format("{}", lo) : fmt::format("{}..{}", lo, hi),
                     d.multiple_of > 1 && lo != hi ? fmt::format(" by {}", d.multiple_of) : "");
}

std::string target_help(const Target& t) {
  std::string text = fmt::format("target {}: op {}", t.name, t.schema().op), ranges;
  for (const DimSpec& d : t.schema().dims) ranges += fmt::format("{}{}", ranges.empty() ? "" : ", ", range_of(d));
  text += fmt::format("\n  dims {}", ranges);
  for (const std::string& n : t.spec.narrowings()) text += fmt::format("\n  {}", n);
  text += fmt::format("\n  dialects {}", describe(t.spec.dialects()));
  text += fmt::format("\n  tolerance table version {}\n", tolerance_table_version());
  return text;
}

}  // namespace warpfuzz
