// A fuzzing campaign (or a replay) of this binary's target: what happens around run_case. Everything learned or counted
// over time lives here and never decides a verdict or a feature.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/count_file.h"
#include "base/exit_codes.h"
#include "engine/invocation.h"
#include "engine/known_findings.h"
#include "engine/restart.h"
#include "pipeline/build_finding.h"
#include "pipeline/options.h"
#include "pipeline/tally.h"
#include "process/in_flight.h"
#include "process/watchdog.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz {

class FreshRuns;

class Campaign {
 public:
  Campaign(const Target& target, Backend& backend, const Options& options, const Invocation& invocation);
  ~Campaign();

  // One input. 0, or -1 when it must not enter the corpus: a known finding that is counted, a case that cannot be run. A new
  // finding ends the process, unless known findings are counted.
  int test_one(std::span<const std::uint8_t> bytes);
  std::size_t mutate_input(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
  std::size_t cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::uint8_t* out,
                         std::size_t max_size, unsigned seed);

  // A reproducer: replaying its bytes compares with what it recorded, and uses its tensors when the decoder has moved on.
  void expect(const Finding& recorded);
  // What a replay's reports call a case: the file that the user gave.
  void name_case(const Bytes& bytes, const std::string& path);
  // A fault that ends the process: saves and reports; the caller ends it.
  void on_fatal(const ExecStatus& status, bool sanitizer_first = false);
  void on_sanitizer_error(const ExecStatus& status);
  // The process ends by a signal, in order: the summary, and no file is left. Also from another thread than the one that fuzzes.
  void on_interrupt(const char* signal);
  // What the engine prints of a death goes beside the reproducer.
  void before_engine_dies();
  // The process ends (exit or abort) although a case is running: CUDA_CHECK macros do that. A fault on record is reported as
  // such; true then, and the caller ends the process as for a finding.
  bool on_early_end(const char* how);
  // The process ends by a target error: the case that runs becomes a raw file, whose path is returned; "" where nothing is kept.
  std::string keep_case();
  const Tally& tally() const { return tally_; }
  void print_statistics();
  // A campaign of which no case could be run: says why, and by which construct.
  bool ran_nothing() const;
  bool timed() const;  // a watchdog of ours ends cases that take too long
  int replay_exit_code() const { return replay_failures_ ? kExitFinding : kExitOk; }
  bool exits_by_trap = true;  // false: the replay main goes on to the next file
  std::function<void()> before_death;

 private:
  void on_hang(void* pc, Overrun overrun);
  void open_folder();
  int on_finding(CaseResult r);
  int on_unsupported(const CaseResult& r);
  // Known findings are counted, in whatever mode the engine runs.
  bool counts_known() const { return options_.known_continue && !invocation_.replays(); }
  // A fault that ends the process does not end the campaign.
  bool restarts() const;
  // A file is written for a variant that the folder has none of: one of many processes must not write what another has.
  bool looks_before_saving() const { return options_.known_continue || invocation_.fork_child; }
  bool is_known(const CaseResult& r, const std::string& key);
  void read_known(const std::string& folder);
  std::string save_new(const Finding& f, const std::string& key);
  void save_and_shrink(const CaseResult& r, Finding f, const std::string& key);
  bool ended_a_process(std::span<const std::uint8_t> bytes);
  void take_up();
  void begin_anew_after(const std::string& key);
  bool on_unsupported_end(const ExecStatus& status, const char* how);
  void report_replay(const CaseResult& r, const Finding& f, const Finding* recorded);
  std::string save(const Finding& f, const std::string& path);
  void learn(const CaseResult& r);
  static constexpr std::uint64_t kFirstCases = 64;
  bool begins(unsigned seed) const;
  Finding describe_finding(const CaseResult& r) const;
  // Runs the file, or where none is given the case at hand, with this binary.
  std::string replay_command(const std::string& path = "") const;
  double seconds_of_shrinking(double most) const;
  Backend* shrinking_backend(FaultClass fault);  // null: this fault is not shrunk in the process
  std::optional<Finding> called_twice(const Finding& f, FreshRuns& fresh);
  Finding simplest(const CaseResult& r, const Finding& unshrunk, Backend& backend, const std::string& path);
  bool confirm(const TestCase& c, Finding& f);
  std::string last_statistics() const;
  void leave_nothing_open();  // the process is about to die by a fault
  void count_known(const std::string& key);
  bool saves() const { return can_save_ && !invocation_.replays() && !invocation_.merge && !invocation_.minimize; }

  const Target& target_;
  Backend& backend_;
  const Options& options_;
  const Invocation& invocation_;
  std::string folder_;
  InFlight in_flight_;
  CountFile counts_;
  std::unique_ptr<Watchdog> watchdog_;
  Knowledge knowledge_;
  Scratch scratch_;
  Tally tally_;
  KnownFindings known_;
  Carried carried_;
  std::map<std::string, std::uint64_t> tried_;  // cases of a key that were asked for their variant
  std::map<Bytes, Finding> recorded_;
  std::map<Bytes, std::string> files_;
  Bytes current_;
  std::uint64_t completed_ = 0;  // cases that this process ran to their end
  std::string family_;           // of a parent: where its processes' counts are
  std::string log_;              // beside the reproducer of the fault that ends the process
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::timed_mutex counting_;  // tally_ changes, or is read by the thread that ends the process
  std::atomic<bool> dying_{false};
  bool can_save_ = true, can_restart_ = true, started_ = false, in_case_ = false, mutates_ = false;
  int replay_failures_ = 0;
};

}  // namespace warpfuzz
