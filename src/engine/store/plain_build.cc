// Whether the code that ships fails in the same way.
#include "engine/store/plain_build.h"

#include <fmt/format.h>

#include "exec/device_builds.h"

namespace warpfuzz {
namespace {

std::string verdict_of(const CaseResult& shipped, FaultClass expected, const std::string& compiler) {
  if (shipped.fault == expected) return fmt::format("confirmed ({})", compiler);
  if (shipped.fault == FaultClass::none) return fmt::format("NOT confirmed: {}'s build has no finding", compiler);
  return fmt::format("{}'s build has {}: {}", compiler, fault_name(shipped.fault), shipped.message);
}

}  // namespace

bool confirm_by_plain_build(const Target& target, Backend& backend, const TestCase& c, Finding& f) {
  Backend* plain = other_build(backend, OtherBuild::plain);
  if (!plain || f.fault == FaultClass::none) return false;
  RunSettings settings;
  settings.every_check = true;
  f.attributes["plain build"] = verdict_of(run_case(target, *plain, c, settings), f.fault, plain->compiler());
  return true;
}

}  // namespace warpfuzz
