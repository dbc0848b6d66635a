#include "engine/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/options.h"
#include "findings/exit_codes.h"
#include "oracle/judge.h"
#include "warpfuzz/definition.h"

namespace warpfuzz {
namespace {

Target make_target() {
  const TargetDefinition& d = warpfuzz_target::definition();
  Target t{d.name, d.spec, d.launcher};
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

std::string describe_target(const Target& t) {
  std::string text = fmt::format("target {}: op {}", t.name, t.schema().op);
  for (const std::string& n : t.spec.narrowings()) text += fmt::format("\n  {}", n);
  text += fmt::format("\n  dialects {}", describe(t.spec.dialects()));
  text += fmt::format("\n  tolerance table version {}\n", tolerance_table_version());
  return text;
}

}  // namespace warpfuzz
