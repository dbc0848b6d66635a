// What people see of a campaign: a table that is drawn again and again on a terminal, dated lines in a log otherwise.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/index.h"

namespace warpfuzz::cli {

class RunLog {
 public:
  // Lines are added to `path`, which is moved to path.1 when it has grown large. `show`: on standard output too.
  RunLog(std::string path, bool show) : path_(std::move(path)), show_(show) {}
  // "2026-03-01T12:34:56Z text". A log that cannot be written is said once and does not end a campaign.
  void line(const std::string& text);
  void show() { show_ = true; }  // from now on

 private:
  std::string path_;
  bool show_, failed_ = false;
};

struct ViewRow {
  TargetRow target;
  int workers = 0;        // that fuzz it now
  std::string doing;      // "", or "merging", "shrinking", ...
  double rate = 0;        // executions a second of these
  std::vector<FindingRow> findings;
};

// Draws over what it drew before. Rows that nothing happens in are left out where the terminal is too small.
class RunView {
 public:
  explicit RunView(bool terminal) : on_(terminal) {}
  bool on() const { return on_; }
  void draw(const std::string& head, const std::vector<ViewRow>& rows, double now);
  void clear();  // before other lines are printed

 private:
  bool on_;
  int lines_ = 0;
};

std::string amount(double n);              // "1234", "12.3k", "4.5M"
std::string duration(double seconds);      // "45 s", "12 min", "3.5 h", "2.1 d"
// "value 120, oob-read/kernel 3": keys without the target's name.
std::string keys_text(const std::vector<FindingRow>& findings);

}  // namespace warpfuzz::cli
