// The supervisor of a campaign: shares workers out over targets, watches them, and keeps corpora, crashes and the index.
// One thread, one loop; everything that takes time is a process of its own, and each such process takes a worker's place.
#pragma once
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/process/watched_process.h"
#include "campaign/campaign_folder.h"
#include "campaign/chore_budget.h"
#include "campaign/fuzzer_line.h"
#include "campaign/index.h"
#include "campaign/run_options.h"
#include "campaign/run_view.h"
#include "client/context.h"

namespace warpfuzz::cli {

double clock_now();  // seconds since 1970; those of the index

enum class JobKind { fuzz, merge, shrink, errors };  // all but the first are chores

// What a target does with a worker's place: one process, or several where they die.
struct Turn {
  double started = 0, end = 0;
  std::uint64_t executions = 0, corpus = 0;  // so far; inputs when it began
  int deaths = 0;
};

struct Job {
  JobKind kind = JobKind::fuzz;
  std::size_t target = 0;
  WatchedProcess child;
  pid_t pid = -1;                 // also when it has ended
  double started = 0, limit = 0;  // limit: when it is killed, whatever it does
  double stop_by = 0;             // asked to stop: when patience ends; 0: not asked
  std::string why;                // it was asked to
  // fuzz
  std::int64_t slice = 0;
  std::uint64_t seed = 0;
  Turn turn;
  FuzzerStatus status;
  Counts counts;
  std::uint64_t counted = 0;  // executions of them that the index has
  struct Progress {
    double time, processor;
    std::uint64_t executions;
  };
  std::deque<Progress> progress;             // of the last 30 s
  double rate = 0, pace = 0, best_pace = 0;  // executions a second; a second of its processor's time
  double written = 0;                        // when its history was last added to
  std::uint64_t memory = 0;                  // kB
  ToldReader told;
  std::string in_hand;  // key of the finding that it makes smaller
  // merge, shrink, errors
  std::string doing;    // for people: "merging 120 inputs"
  double expected = 0;  // seconds that the budget holds for it
  double granted = 0;   // that a shrink may take
  std::vector<StoredFile> before;
  std::string key, file;
};

struct TargetState {
  std::string name, binary, seeds;
  TargetRow row;
  std::vector<FindingRow> findings;  // for the view
  int fuzzing = 0;
  bool busy = false;       // a merge has it for itself
  bool had_turn = false;   // in this run
  double waits_since = 0;  // when its last turn ended
  double not_before = 0;   // after turns that came to nothing
  int bad_turns = 0, bad_starts = 0;
  bool new_files = false, errors_due = false, errors_tried = false;
  double scanned = 0;
  std::uint64_t corpus_at_merge = 0;
  std::uint64_t executions = 0;  // of this run
  double seconds = 0;            // that they took
  double errors_seconds = 0;     // that its last error records took
};

class Supervisor {
 public:
  Supervisor(const Context& c, const RunOptions& o);
  int run();  // exit code

 private:
  // supervisor.cc: the loop
  void recover();
  void loop();
  void watch(Job& job);
  void tick();
  void report_progress(double now);
  bool over() const;  // nothing runs, and nothing can
  void stop_all(const std::string& why);
  void stop_without_index();  // which cannot be written any more
  bool stopping() const { return stop_; }
  // A signal since forget_stop(): the end of a run takes a moment, and somebody may not want to wait for it.
  static bool asked_to_stop();
  static void forget_stop();
  double time_left() const { return end_ - clock_now(); }
  double elapsed() const { return clock_now() - start_; }

  // supervisor_plan.cc: who runs next
  void fill_slots();
  bool start_something();
  bool start_chore();
  std::size_t next_target(double now) const;
  std::size_t usable() const;  // targets that can be run
  int most_workers_each() const;
  bool all_had_turn() const;  // but those that cannot run
  double turn_length() const;
  std::string too_short() const;  // for all targets to have a turn; "" = it is not
  std::string why_idle() const;

  // supervisor_jobs.cc: what is started, and what comes of it
  bool start_fuzz(std::size_t target, const Turn& turn);
  bool launch(std::unique_ptr<Job> job, const ProcessCommand& command);
  void line(Job& job, const std::string& text);
  void ended(Job& job, const ExitStatus& status);
  struct Ending;
  Ending ending_of(Job& job, const ExitStatus& status);
  void fuzz_ended(Job& job, const ExitStatus& status);
  void ask_to_stop(Job& job, const std::string& why);
  bool count(Job& job);         // what it says now; false: that could not be read
  void store_counts(Job& job);  // into the index
  void give_up(TargetState& t, const std::string& why);

  // supervisor_chores.cc
  bool merge_due(const TargetState& t, double now) const;
  bool merge_next(const TargetState& t, double now) const;  // due, and the budget has room for it
  double merge_seconds(const TargetState& t) const;         // expected
  double errors_seconds(const TargetState& t) const;
  bool room_for(double seconds) const;
  bool start_merge(std::size_t target);
  bool start_shrink();
  bool start_errors(std::size_t target);
  bool launch_chore(std::unique_ptr<Job> job, const ProcessCommand& command);
  void merge_ended(Job& job, const ExitStatus& status);
  void shrink_ended(Job& job, const ExitStatus& status);
  void errors_ended(Job& job, const ExitStatus& status);
  double chores_running() const;        // seconds so far
  std::vector<FindingRow> to_shrink();  // of this run's targets, with a file that is there
  std::string file_of(const FindingRow& f) const;

  // supervisor_end.cc
  int finish();
  void measure_lines();  // which lines of each kernel its corpus reaches
  int exit_code() const;
  void say_end(const std::vector<FindingRow>& fresh);
  void say_chores();
  nlohmann::json summary(const std::vector<FindingRow>& fresh);

  // supervisor_screen.cc
  void draw();
  Screen screen() const;

  // supervisor_files.cc: corpora and findings on disk
  void measure_corpus(TargetState& t);
  void keep_within_limit(TargetState& t);
  void scan(TargetState& t);
  void scan_folder(TargetState& t, const std::string& folder, bool kept, std::set<std::string>& there);
  void announce(TargetState& t);  // findings whose file is new
  void told(TargetState& t, const ToldFinding& f);
  void restore_folders(TargetState& t);
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
  ChoreBudget budget_;
  struct ChoresDone {
    int number = 0;
    double seconds = 0;
  };
  std::map<JobKind, ChoresDone> chores_done_;
  std::set<std::string> tried_to_shrink_, announced_, warned_;
  std::string cannot_write_;  // what a process said that could not write its files; "" = they can
  double start_ = 0, end_ = 0, last_tick_ = 0, last_draw_ = 0, last_report_ = 0;
  bool stop_ = false;
};

// For people: "merging", "shrinking", "measuring errors".
const char* chore_name(JobKind kind);

}  // namespace warpfuzz::cli
