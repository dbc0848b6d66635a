// The supervisor of a campaign: shares workers out over targets, watches them, and keeps corpora, crashes and the index.
// One thread, one loop; everything that takes time is a process of its own, and each such process takes a worker's place.
#pragma once
#include <csignal>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/campaign_folder.h"
#include "cli/child.h"
#include "cli/commands.h"
#include "cli/fuzzer_line.h"
#include "cli/index.h"
#include "cli/run_view.h"

namespace warpfuzz::cli {

double clock_now();  // seconds since 1970; those of the index

enum class JobKind { fuzz, merge, shrink, errors };

// What a target does with a worker's place: one process, or several where they die.
struct Turn {
  double started = 0, end = 0;
  std::uint64_t executions = 0, corpus = 0;  // so far; inputs when it began
  int deaths = 0;
};

struct Job {
  JobKind kind = JobKind::fuzz;
  std::size_t target = 0;
  Child child;
  pid_t pid = -1;                  // also when it has ended
  double started = 0, limit = 0;   // limit: when it is killed, whatever it does
  double stop_by = 0;              // asked to stop: when patience ends; 0: not asked
  std::string why;                 // it was asked to
  // fuzz
  std::int64_t slice = 0;
  std::uint64_t seed = 0;
  Turn turn;
  FuzzerStatus status;
  Counts counts;
  std::uint64_t counted = 0;       // executions of them that the index has
  struct Progress {
    double time, processor;
    std::uint64_t executions;
  };
  std::deque<Progress> progress;                          // of the last 30 s
  double rate = 0, pace = 0, best_pace = 0;               // executions a second; a second of its processor's time
  double written = 0;                                     // when its history was last added to
  std::uint64_t memory = 0;                               // kB
  // merge, shrink, errors
  std::vector<StoredFile> before;
  std::string key, file;
};

struct TargetState {
  std::string name, binary, seeds;
  TargetRow row;
  std::vector<FindingRow> findings;  // for the view
  int fuzzing = 0;
  bool busy = false;        // a merge has it for itself
  bool had_turn = false;    // in this run
  double waits_since = 0;   // when its last turn ended
  double not_before = 0;    // after turns that came to nothing
  int bad_turns = 0, bad_starts = 0;
  bool new_files = false, errors_due = false, errors_tried = false;
  double scanned = 0;
  std::uint64_t corpus_at_merge = 0;
};

class Supervisor {
 public:
  Supervisor(const Context& c, const RunOptions& o);
  int run();  // exit code

 private:
  // supervisor.cc: the loop
  void recover();
  void loop();
  void fill_slots();
  bool start_something();
  std::size_t next_target(double now) const;
  int most_workers_each() const;
  bool all_had_turn() const;  // but those that cannot run
  void watch(Job& job);
  void tick();
  void draw();
  void stop_all(const std::string& why);
  int finish();
  bool stopping() const { return stop_; }
  double time_left() const;

  // supervisor_jobs.cc: what is started, and what comes of it
  bool start_fuzz(std::size_t target, const Turn& turn);
  bool start_merge(std::size_t target);
  bool start_shrink();
  bool start_errors(std::size_t target);
  bool launch(std::unique_ptr<Job> job, const Child::Command& command);
  void line(Job& job, const std::string& text);
  void ended(Job& job, const Subprocess::Status& status);
  void fuzz_ended(Job& job, const Subprocess::Status& status);
  void merge_ended(Job& job, const Subprocess::Status& status);
  void shrink_ended(Job& job, const Subprocess::Status& status);
  void errors_ended(Job& job, const Subprocess::Status& status);
  void ask_to_stop(Job& job, const std::string& why);
  void count(Job& job);          // what it says now
  void store_counts(Job& job);   // into the index
  void give_up(TargetState& t, const std::string& why);
  bool merge_due(const TargetState& t, double now) const;

  // supervisor_files.cc: corpora and findings on disk
  void measure_corpus(TargetState& t);
  void scan(TargetState& t);
  void scan_folder(TargetState& t, const std::string& folder, bool kept, std::set<std::string>& there);
  void prune(TargetState& t);
  void add_history(TargetState& t);
  void say(const std::string& text);

  const Context& context_;
  const RunOptions& options_;
  CampaignFolder folder_;
  Index index_;
  RunView view_;
  RunLog log_;
  RunRow run_;
  std::vector<TargetState> targets_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::set<std::string> tried_to_shrink_;
  double start_ = 0, end_ = 0, last_tick_ = 0, last_draw_ = 0, last_report_ = 0;
  bool stop_ = false;
};

}  // namespace warpfuzz::cli
