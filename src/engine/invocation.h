// The command line of a target binary, as far as it matters to us: stock libFuzzer flags and files.
#pragma once
#include <string>
#include <vector>

namespace warpfuzz {

struct Invocation {
  bool help = false, merge = false, minimize = false, fork_parent = false, serve = false, gpu_server = false;
  std::string artifact_prefix;
  int timeout = 25;  // seconds; libFuzzer's own default of 1200 is far too long for a kernel
  bool has_timeout = false, has_value_profile = false, has_detect_leaks = false;
  bool handles_int = true, handles_term = true, final_stats = false;
  bool has_fuzzing_children = false;        // -fork, -jobs: processes of its own fuzz, and it only waits for them
  bool has_children = false;                // these, and -merge and its like: it runs no case itself
  unsigned long seed = 0;                   // 0: libFuzzer draws one and prints it
  long long runs = -1, max_total_time = 0;  // libFuzzer's defaults: no limit
  bool fork_child = false;                  // of a campaign with -fork
  std::string program;                      // argv[0]
  std::vector<std::string> arguments;       // as given, without argv[0]
  std::vector<std::string> inputs;          // arguments that are not flags
  bool replay = false;                      // every input is a regular file: libFuzzer only runs them
};
Invocation parse_invocation(const std::vector<std::string>& arguments);  // without argv[0]

// "" or one line about an input that libFuzzer would misread: a file that is missing or unreadable, a corpus folder that holds readable
// cases or reproducers, whose text it would take for case bytes.
std::string check_inputs(const Invocation& in);

// Temporary files that stand in for .wfz and .case arguments, and links for paths that a shell would not leave whole.
class Substitutes {
 public:
  ~Substitutes() { remove(); }
  // Writes bytes to a temporary file named after `original`; returns its path. Ends the process with exit code 84 on failure.
  std::string add(const std::string& original, const std::vector<unsigned char>& bytes);
  // A link to `original` whose path no shell splits; the same on failure.
  std::string link(const std::string& original);
  void remove();

 private:
  std::string name_for(const std::string& original);
  std::string folder_;
  std::vector<std::string> files_;
};

}  // namespace warpfuzz
