// Names of fault classes and the one-line form of a place in a kernel.
#include "schema/fault.h"

#include <array>

namespace warpfuzz {
namespace {

constexpr std::array<std::string_view, 16> kNames{
    "none",   "oob-read", "oob-write", "misaligned",    "divergence", "race",    "launch", "hang",
    "assert", "unwritten", "input-changed", "index", "special",    "value",   "nondeterministic", "unsupported"};

std::string triple(const std::uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

}  // namespace

std::string_view fault_name(FaultClass f) { return kNames[static_cast<std::size_t>(f)]; }

std::optional<FaultClass> fault_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<FaultClass>(i);
  return std::nullopt;
}

std::string describe(const Place& p) {
  if (p.kernel.empty()) return "outside of a kernel";
  std::string s = "kernel " + p.kernel + ", block " + triple(p.block) + ", thread " + triple(p.thread);
  if (!p.file.empty()) s += ", " + p.file + (p.line > 0 ? ":" + std::to_string(p.line) : "");
  return s;
}

}  // namespace warpfuzz
