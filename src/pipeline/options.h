// WARPFUZZ_OPTIONS: `name=value` pairs between colons, in the sanitizers' way. They steer a campaign and never change
// a verdict. docs/options.md lists them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace warpfuzz {

struct Options {
  std::string crashes;          // folder of .wfz files; empty: that of -artifact_prefix, else crashes/new/<target>
  bool known_continue = false;  // known=continue: count findings whose key is known, and go on
  bool restart = true;          // restart=off: a fault that ends the process ends the campaign, known or not
  std::string dtype;            // hold the dtype of every case (a narrowing by the user)
  bool value_features = true;   // features=off: no error, class and shape counters (the ablation)
  bool learned = true;          // learned=off: the mutator forgets tiles and compare operands
  bool shrink = true;           // shrink=off
  int hang_seconds = 10;        // a kernel that runs longer is a hang; 0 = off
  int extra_run_one_in = 16;    // share of cases with the extra run in another order; 0 = never, 1 = always
  int checked_run_one_in =
      1024;               // checked=N: share of cases that the checked build runs too (GPU); 0 = never, 1 = always
  int gpu = 0;            // gpu=N: number of the device (GPU)
  bool in_flight = true;  // inflight=off: no mapped file of the running case
  std::string counts;     // file of counts; empty: none
};

// Parses text; returns one line about the first thing that is wrong, or nothing.
std::optional<std::string> parse_options(std::string_view text, Options& options);
// From the environment; ends the process with one line and exit code 80 when it is malformed.
const Options& options();

}  // namespace warpfuzz
