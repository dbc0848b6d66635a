// Local includes of a target's source, put in their places. Two kinds of files are included: those of the kernel, which stand in the
// exported program as they are, and those that include WarpFuzz's own headers themselves. The latter belong to the target: they are
// taken apart into declarations, as its source is.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "export/target_source.h"

namespace warpfuzz::cli {

// A Failure with kExitBadFile; `what` says why it is read.
std::string read_source(const std::string& path, const std::string& what);

class Flattener {
 public:
  // Notes in out.files what was read.
  Flattener(const BuildEntry& entry, TargetSource& out) : entry_(entry), out_(out) {}

  // The file with its local includes in their places; `from` says who wants it.
  std::string file(const std::string& path, const std::string& from, int depth = 0);
  // What stands in the place of a line of `path` that starts with #: itself, the text of a local include, or nothing.
  std::string directive(std::string_view line, const std::string& path, int depth = 0);

  struct Part {
    std::string path;
    bool again = false;  // taken already
  };
  // The file that the line includes, where it belongs to the target; an empty path where it is none.
  Part part_of_target(std::string_view line, const std::string& path);
  // Whether the file includes WarpFuzz's own headers, itself or through a local one.
  bool is_part_of_target(const std::string& path) const;

  bool met_target_header = false;  // "warpfuzz/target.h"

 private:
  std::string resolve(std::string_view name, bool quoted, const std::string& from) const;
  bool includes_ours(const std::string& path, const std::string& from, std::vector<std::string>& seen) const;
  std::string shown(const std::string& path) const;

  const BuildEntry& entry_;
  TargetSource& out_;
  std::vector<std::string> done_;
  std::map<std::string, std::size_t> guards_;  // of files that were first included behind an #if
  int conditions_ = 0;
};

}  // namespace warpfuzz::cli
