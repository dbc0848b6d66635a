// What a campaign and a replay have in common: both run one case after another in a process that may end in the middle of each.
// Here stands how a case is watched and how the process ends; what a case is run for stands in Campaign and in Replayer.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/invocation.h"
#include "pipeline/options.h"
#include "pipeline/run_case.h"
#include "process/watchdog.h"

namespace warpfuzz {

class Session {
 public:
  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // One input. 0, or -1 when it must not enter the corpus.
  int test_one(std::span<const std::uint8_t> bytes);
  // No case is left: says what there is to say at the end. False where none of them could be run.
  virtual bool finish() { return true; }
  // The process ends by a signal, in order: the summary, and no file is left. Also from another thread than the one that fuzzes.
  void on_interrupt(const char* signal);
  // A debugger is attached: no time limit, and its Ctrl-C is not for us.
  virtual bool debugged() const { return false; }
  bool timed() const {
    return options_.hang_seconds > 0 && !debugged();
  }  // a watchdog of ours ends cases that take too long
  std::function<void()> before_death;

 protected:
  Session(const Target& target, Backend& backend, const Options& options, const Invocation& invocation);

  // What a kind of session adds. Before the first case, not earlier: the -fork parent also comes through initialisation.
  virtual void start() {}
  virtual int run(std::span<const std::uint8_t> bytes) = 0;
  virtual std::uint64_t executions() const = 0;
  // A fault that ends the process: saves and reports. sanitizer_first: its own report comes before ours.
  virtual void report_fatal(const ExecStatus& status, bool sanitizer_first) = 0;
  virtual bool sanitizer_first(const ExecStatus& status) const = 0;
  // A case that cannot be run, and the launcher then ended the process: exit code 88, unless this starts another one.
  virtual void on_refused_end(const std::string& construct, const char* how) = 0;
  // The process ends by a target error: the case becomes a file, whose path is returned; "" where nothing is kept.
  virtual std::string keep_raw(const Bytes&) { return {}; }
  virtual void on_interrupted() {}
  virtual void close_files() {}
  // What the engine prints of a death goes elsewhere; `last` stays on the screen.
  virtual void hide_engine(const std::string& last) = 0;

  // Runs a case under watch: an end of the process in its middle is reported.
  CaseResult run_watched(std::span<const std::uint8_t> bytes, const RunSettings& settings);
  const Bytes& current() const { return current_; }  // the case that runs, or ran last
  // The report of a fault that ends the process, behind the sanitizer's own where that comes first.
  void say_last(const std::string& text, const std::string& key, bool sanitizer_first) const;
  void leave_nothing_open();  // the process is about to end
  [[noreturn]] void die_by(FaultClass fault);

  const Target& target_;
  Backend& backend_;
  const Options& options_;
  const Invocation& invocation_;
  Scratch scratch_;

 private:
  void watch_process();
  void on_fatal(const ExecStatus& status, bool sanitizer_first);
  void on_sanitizer_error(const ExecStatus& status);
  void on_hang(void* pc, Overrun overrun);
  // The process ends (exit or abort) although a case is running: CUDA_CHECK macros do that. A fault on record is reported as
  // such; true then, and the caller ends the process as for a finding.
  bool on_early_end(const char* how);
  std::string keep_case();
  void before_engine_dies();
  std::string last_statistics() const;

  std::unique_ptr<Watchdog> watchdog_;
  Bytes current_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> dying_{false};
  bool started_ = false, in_case_ = false;
};

// Runs the file with this binary, as a person would type it; `FILE` stands for one that the user has to name.
std::string run_command(const std::string& file = "");

}  // namespace warpfuzz
