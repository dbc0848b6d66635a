// Where the targets of this build lie, and what a kernel's source says about itself.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace targets_test {

std::filesystem::path source_root();
std::string binary(const std::string& target);  // build/<preset>/bin/fuzz_<target>
std::vector<std::string> controls();
std::vector<std::string> planted_bugs();
std::vector<std::string> subtle_bugs();  // planted too, but shown by few inputs
std::vector<std::string> twins();        // ops that have a lower-precision twin
std::vector<std::string> all_targets();

// The notes of a planted bug: `// BUG:` what is wrong, `// correct-if:` when it does not show, `// expect-<what>:` the
// values that a finding may have, separated by commas or blanks.
struct KernelNotes {
  bool bug = false;
  std::string correct_if;
  std::set<std::string> keys;       // fault classes
  std::set<std::string> kinds;      // attribute `kind`
  std::set<std::string> locations;  // attribute `location`
};
KernelNotes kernel_notes(const std::string& target);

// Files of a folder of the source tree with this extension, sorted; none where the folder is missing.
std::vector<std::filesystem::path> files_in(const std::string& folder, const std::string& extension);

}  // namespace targets_test
