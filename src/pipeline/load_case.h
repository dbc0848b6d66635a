// A file that holds a case: a .wfz reproducer, a readable *.case, or raw bytes (a libFuzzer artifact or corpus file).
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "findings/finding.h"
#include "pipeline/target.h"

namespace warpfuzz {

struct LoadedCase {
  Bytes bytes;
  std::optional<Finding> finding = {};  // of a .wfz
  std::string expect = {};              // of a .case: "pass" or a fault class
};
Result<LoadedCase> load_case(const Target& target, const std::string& path);

}  // namespace warpfuzz
