// The last word of shrinking: what is kept must fail in a process that nothing ran in before. What a launcher keeps on the host (a cache
// keyed by address and shape, say) makes cases fail in this process that pass in the next.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/files.h"
#include "findings/finding.h"

namespace warpfuzz {

enum class Afresh : std::uint8_t { fails, passes, unknown };  // unknown: it could not be tried

struct LastWord {
  std::size_t kept = 0;       // number of the case to keep
  std::string history;        // what the finding's attribute of this name says; empty where nothing is to be said
  bool needs_others = false;  // no case fails alone
};
// Of the cases 0 .. count - 1, the unshrunk one and then each simpler one that was accepted, the simplest that fails afresh: the last, or
// one that a bisection finds in front of it. Where not even the unshrunk case fails, that is the one to keep.
LastWord last_word(std::size_t count, const std::function<Afresh(std::size_t)>& run);

// Runs cases in processes of this binary, each in one of its own, as long as the time lasts.
class FreshRuns {
 public:
  // Its cases fail where they fail in this class. `folder` can be written; nothing stays there.
  FreshRuns(FaultClass fault, std::string folder, double seconds);
  Afresh run(const Bytes& bytes);
  // Of the latest run that failed, as its process saw it.
  const std::optional<Finding>& finding() const { return finding_; }
  // One line, where a run's answer was `unknown`.
  const std::string& trouble() const { return trouble_; }

 private:
  FaultClass fault_;
  std::string file_;
  UnfinishedFile kept_file_;
  std::chrono::steady_clock::time_point end_;
  std::optional<Finding> finding_;
  std::string trouble_;
};

}  // namespace warpfuzz
