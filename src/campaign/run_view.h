// What people see of a campaign: a table that is drawn again and again on a terminal, dated lines in a log otherwise.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "campaign/index.h"

namespace warpfuzz::cli {

class RunLog {
 public:
  // Lines are added to `path`, which is moved to path.1 when it has grown large. `show`: on standard output too.
  RunLog(std::string path, bool show) : path_(std::move(path)), show_(show) {}
  // "2026-03-01T12:34:56Z text". A log that cannot be written is said once and does not end a campaign.
  void line(const std::string& text);
  void keep(const std::string& text);  // in the file alone
  void show() { show_ = true; }        // from now on

 private:
  void add(const std::string& whole);
  std::string path_;
  bool show_, failed_ = false;
};

struct ViewRow {
  TargetRow target;
  int workers = 0;    // that fuzz it now
  std::string doing;  // "", or "merging", "shrinking", ...
  double rate = 0;    // executions a second of these
  std::vector<FindingRow> findings;
};

// A worker's place and what is done in it.
struct ViewWorker {
  std::string target, doing;  // doing: "fuzzing", "merging 120 inputs", ...
  double seconds = 0;         // it has been doing that
  double rate = 0;            // executions a second, where it fuzzes
};

// Everything that is on the screen.
struct Screen {
  std::string head;                              // which run, how far it is
  double now = 0;                                // seconds since 1970
  std::vector<ViewWorker> workers;               // busy ones
  int idle = 0;                                  // the others
  std::string why_idle;                          // why these do nothing
  double chore_seconds = 0, worker_seconds = 0;  // of all workers' time so far
  std::string newest_key, newest_file;           // finding, as typed; "" = none yet
  double newest_time = 0;
  std::vector<ViewRow> rows;
};
// Its lines, each cut to the width. The table loses rows that nothing happens in, then the list of workers its end, where there
// are more than `height` lines.
std::vector<std::string> lines_of(const Screen& s, int height, int width);

// Draws over what it drew before.
class RunView {
 public:
  explicit RunView(bool terminal) : on_(terminal) {}
  bool on() const { return on_; }
  void draw(const Screen& screen);
  void clear();  // before other lines are printed

 private:
  bool on_;
  int lines_ = 0;
};

std::string amount(double n);          // "1234", "12.3k", "4.5M"
std::string duration(double seconds);  // "45 s", "12 min", "3.5 h", "2.1 d"
// "value 120, oob-read/kernel 3": keys without the target's name.
std::string keys_text(const std::vector<FindingRow>& findings);

}  // namespace warpfuzz::cli
