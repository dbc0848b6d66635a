// Names of fault classes and the one-line form of a place in a kernel.
#include "schema/fault.h"

#include <iterator>

namespace warpfuzz {
namespace {

constexpr bool placed = true, nowhere = false;
using enum Aftermath;

constexpr FaultInfo kFaults[] = {
    {"none", "no fault", nowhere, survives, survives, ""},
#define WARPFUZZ_FAULT(ID, NAME, PLACE, CPU, GPU, TOOL, MEANING) {NAME, MEANING, PLACE, CPU, GPU, TOOL},
#include "schema/fault.def"
#undef WARPFUZZ_FAULT
    {"unsupported", "not a finding: the backend cannot run a construct of this kernel", nowhere, survives, survives,
     ""},
};
static_assert(std::size(kFaults) == kFaultClasses);

std::string triple(const std::uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

}  // namespace

const FaultInfo& fault_info(FaultClass f) { return kFaults[static_cast<std::size_t>(f)]; }

std::optional<FaultClass> fault_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kFaultClasses; ++i)
    if (kFaults[i].name == name) return static_cast<FaultClass>(i);
  return std::nullopt;
}

std::string describe(const Place& p) {
  if (p.kernel.empty()) return "outside of a kernel";
  std::string s = "kernel " + p.kernel + ", block " + triple(p.block) + ", thread " + triple(p.thread);
  if (!p.file.empty()) s += ", " + p.file + (p.line > 0 ? ":" + std::to_string(p.line) : "");
  return s;
}

}  // namespace warpfuzz
