// What `warpfuzz run` is asked for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpfuzz::cli {

struct RunOptions {
  std::vector<std::string> targets;  // names; all, controls, bugs
  std::string backend = "cpu", folder = ".";
  int workers = 1;
  double time = 0;   // seconds; 0: until it is stopped
  double slice = 0;  // of a target's turn, where there are more targets than workers; 0: 60, less in a short run
  double merge_every = 1800;  // of each corpus; 0: never
  double recycle = 3600;      // a worker's age at most; 0: any
  int chores = 10;            // percent of the workers' time that merges, shrinking and error records may take
  std::uint64_t seed = 0;     // 0: drawn
  std::uint64_t corpus_limit = 256, crashes_limit = 64, memory_limit = 2048;  // MiB: of a target's folder, of a worker
};

}  // namespace warpfuzz::cli
