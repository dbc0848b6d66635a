// The findings index of a campaign folder: what `warpfuzz run` found, counted and measured there, in one SQLite database,
// FOLDER/campaign/index.sqlite. docs/campaigns.md lists its tables. Times are seconds since 1970, UTC.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/count_file.h"
#include "campaign/database.h"
#include "campaign/fuzzer_line.h"
#include "findings/finding.h"

namespace warpfuzz::cli {

// One key of one target.
struct FindingRow {
  std::string target, key, op, fault, kernel;   // kernel: "" where the fault has no place
  std::string kind, location, dtype, severity;  // attributes of the smallest reproducer
  std::string summary, message;                 // its case, and what went wrong, a line each
  std::string attributes = "{}";                // all of them, a JSON object
  double first_seen = 0, last_seen = 0;
  std::uint64_t count = 0;  // executions that failed so
  std::string
      path;  // smallest reproducer: relative to the campaign's folder where it is below it, else absolute; "" where there is none
  std::uint64_t bytes = 0, elements = 0;  // of that file, of its inputs
  bool kept = false;                      // below crashes/<target>/
  bool shrunk = false;                    // nothing is left to try
  bool told = false;                      // an ended run has reported it by its exit code
};

// A .wfz.
struct FileRow {
  std::string path, key, variant;  // path: as of FindingRow; variant: findings/variant.h
  std::uint64_t bytes = 0, elements = 0;
  bool kept = false;
};

struct TargetRow {
  std::string target, op;
  std::uint64_t executions = 0, slices = 0;  // slices: processes that fuzzed
  double seconds = 0;                        // they took, one after another
  std::uint64_t edges = 0, features = 0, corpus = 0, corpus_bytes = 0;
  double first_started = 0, last_new = 0, last_merge = 0;  // last_new: when an input was last added to the corpus
  std::uint64_t deaths = 0, recycled = 0, timeouts = 0,
                out_of_memory = 0;  // processes ended by a fault, by us, by libFuzzer's limits
  std::string problem;              // why it is not run any more; "" = it is
  std::string dims;                 // cli/dims_reached.h; of the processes that ended in order
  std::string lines;                // client/lines_reached.h; JSON, "" = never asked
};

struct HistoryPoint {
  double time = 0;
  std::uint64_t executions = 0, edges = 0, features = 0, corpus = 0;
};

// The error record of one target, dtype and fill (findings/error_fields.h, whole form: with histograms).
struct ErrorRow {
  std::string target, op, source, dtype, fill, record;  // source: "corpus" or "random", the cases that were measured
  double time = 0;
};

struct RunRow {
  std::int64_t id = 0;
  double started = 0, ended = 0;  // ended: 0 where it was killed or goes on
  std::string targets, backend;   // as given
  int workers = 0, exit_code = -1;
  std::uint64_t seed = 0, memory_kb = 0, new_keys = 0;  // memory: of the supervisor, at its end
};

class Index {
 public:
  static std::string path_in(const std::string& folder);  // FOLDER/campaign/index.sqlite
  // A Failure (exit code `index`) where it is no index, of a newer version, or, without `create`, not there. A database that is
  // no index is never changed.
  Index(const std::string& folder, bool create);
  // Why nothing that is written from now on will ever be seen: its file was removed or replaced. "" = it is there.
  std::string lost() const;

  std::vector<FindingRow> findings(const std::string& target = "");  // by target and key
  std::vector<TargetRow> targets();
  std::vector<HistoryPoint> history(const std::string& target);  // by time
  std::vector<ErrorRow> errors(const std::string& target = "");
  std::vector<RunRow> runs();

  std::int64_t begin_run(const RunRow& run);
  void end_run(const RunRow& run);  // marks every finding as told, where its exit code tells that there are some

  // A process that fuzzes. What it counted is added once, however often and by whichever supervisor it is read.
  std::int64_t begin_slice(const std::string& target, double now);
  void count(std::int64_t slice, const Counts& counts, double now);
  void end_slice(std::int64_t slice, double seconds);
  std::map<std::int64_t, std::string> open_slices();  // of a supervisor that was killed: id -> target

  TargetRow target(const std::string& name);  // an empty row where it is new
  void save(const TargetRow& t);              // all but executions, slices and seconds, which slices add up
  void add(const std::string& target, const HistoryPoint& p);  // thinned out where there are many
  void save(const ErrorRow& e);

  // A .wfz of a target: makes its key known, and is the key's reproducer where it is the smallest.
  void add_file(const std::string& path, std::uint64_t bytes, std::int64_t modified, const Finding& f, bool kept,
                double now);
  // A finding whose file could not be written: its key, and what is known of it while no file is there.
  void add_told(const std::string& target, const ToldFinding& f, double now);
  bool has_file(const std::string& path, std::uint64_t bytes, std::int64_t modified);
  // Files that are no longer there: keys whose reproducer is among them get the next smallest.
  void forget_files(const std::string& target, const std::vector<std::string>& paths);
  std::vector<std::string> files(const std::string& target);
  // The smallest file of each key and variant, by key and variant; a key whose file is gone has none.
  std::vector<FileRow> reproducers(const std::string& target = "");
  std::vector<FindingRow> to_shrink();
  void set_shrunk(const std::string& key, bool shrunk);
  std::uint64_t untold();

 private:
  bool check(bool create);
  void mark();
  void upgrade();  // from an earlier version
  void add_key(const std::string& key, const std::string& target, double now);
  void choose_reproducer(const std::string& key);
  Database database_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace warpfuzz::cli
