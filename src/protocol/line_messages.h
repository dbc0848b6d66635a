// Messages about the source lines of a kernel that cases reach.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields/form.h"

namespace warpfuzz {

using LineRange = std::array<std::uint64_t, 2>;  // the first and the last line

struct FileLines {
  std::string file;
  std::uint64_t lines = 0, reached = 0;
  std::vector<LineRange> reached_lines, not_reached;
};
template <class V, MaybeConst<FileLines> F>
void fields(V& v, F& f) {
  v.path("file", f.file, "a file of the kernel");
  v("lines", f.lines, "its lines that have code");
  v("reached", f.reached, "of them: those that a case reached");
  v("reached_lines", f.reached_lines, "these, as the first and the last line of each range");
  v("not_reached", f.not_reached, "the others");
}

struct LinesReply {
  bool measured = false;
  std::optional<std::string> why;
  std::optional<std::uint64_t> cases;
  std::optional<std::vector<FileLines>> files;
};
template <class V, MaybeConst<LinesReply> R>
void fields(V& v, R& r) {
  v("measured", r.measured, "whether this build can tell");
  v("why", r.why, "where it can not: why");
  v("cases", r.cases, "where it can: cases that were run");
  v("files", r.files, "");
}

struct LinesRequest {
  static constexpr const char* kCommand = "lines";
  using Answer = LinesReply;
  std::optional<std::vector<std::string>> paths;
  std::optional<double> seconds;
};
template <class V, MaybeConst<LinesRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v.path("paths", q.paths, "these cases: `.wfz`, raw bytes or `*.case`");
  v("seconds", q.seconds, "no case begins after them; as long as it takes where absent");
}

}  // namespace warpfuzz
