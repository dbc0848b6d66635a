// A target's own source, taken apart without WarpFuzz and without a compiler: the kernel with its local includes in one text,
// the launcher, and the declarations that the launcher needs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warpfuzz::cli {

// What bin/targets.json says about a target.
struct BuildEntry {
  std::string name;
  std::vector<std::string> sources, includes, defines;
};
// A Failure where targets.json is missing or does not know the target, with what to do.
BuildEntry build_entry(const std::string& bin, const std::string& target);

struct TargetSource {
  std::vector<std::string> defines;  // as -D takes them
  std::string before;                // kernels and declarations; the place where Launch must be known ends it
  std::string after;                 // declarations behind #include "warpfuzz/target.h"
  std::string launcher;              // the last argument of WARPFUZZ_TARGET
  std::string source;                // path of the file that holds it
  std::vector<std::string> files;    // what went into `before` and `after`, as paths
};
// A Failure with one line where a file has moved or the source has another form.
TargetSource read_target_source(const BuildEntry& entry);

// For tests: the last argument of WARPFUZZ_TARGET(name, ...); "" where there is none.
std::string launcher_of(std::string_view text, const std::string& name);

}  // namespace warpfuzz::cli
