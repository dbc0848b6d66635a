// A fuzzing campaign of this binary's target: inputs are mutated, what their runs tell is learned and counted, findings go to the store.
// Everything learned or counted over time lives here and never decides a verdict or a feature.
#pragma once
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "engine/restart.h"
#include "engine/session.h"
#include "engine/store/finding_store.h"
#include "pipeline/tally.h"
#include "schema/mutate/mutate.h"

namespace warpfuzz {

// A new finding ends the process, unless known findings are counted. What must not enter the corpus: a known finding that is counted, a
// case that cannot be run.
class Campaign : public Session {
 public:
  Campaign(const Target& target, Backend& backend, const Options& options, const Invocation& invocation);
  ~Campaign() override;

  std::size_t mutate_input(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);
  std::size_t cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::uint8_t* out,
                         std::size_t max_size, unsigned seed);
  bool finish() override;

 protected:
  void start() override;
  int run(std::span<const std::uint8_t> bytes) override;
  std::uint64_t executions() const override { return tally_.executions; }
  void report_fatal(const ExecStatus& status, bool sanitizer_first) override;
  bool sanitizer_first(const ExecStatus& status) const override { return status.place.kernel.empty(); }
  void on_refused_end(const std::string& construct, const char* how) override;
  std::string keep_raw(const Bytes& bytes) override { return store_.save_raw(bytes); }
  void on_interrupted() override;
  void close_files() override { store_.close(); }
  void hide_engine(const std::string& last) override;

 private:
  static constexpr std::uint64_t kFirstCases = 64;
  bool begins(unsigned seed) const;
  RunSettings settings(bool described) const;  // else a failing case is only counted
  void learn(const CaseResult& r);
  int on_finding(CaseResult r);
  int on_unsupported(const CaseResult& r);
  void save_and_report(const CaseResult& r, Finding f, const std::string& key);
  void count_known(const std::string& key);
  void print_statistics();
  bool ran_nothing() const;  // a campaign of which no case could be run: says why, and by which construct
  [[noreturn]] void end_early(int code);
  void tell_parent() const;

  // Behind a fault that ends the process: campaign_restart.cc.
  bool restarts() const;
  void take_up();
  bool ended_a_process(std::span<const std::uint8_t> bytes);
  void begin_anew_after(const std::string& key);
  bool did_its_runs() const;

  FindingStore store_;
  Knowledge knowledge_;
  Tally tally_;
  Carried carried_;
  std::uint64_t completed_ = 0;  // cases that this process ran to their end
  std::string family_;           // of a parent: where its processes' counts are
  std::string log_;              // beside the reproducer of the fault that ends the process
  std::timed_mutex counting_;    // tally_ changes, or is read by the thread that ends the process
  const bool counts_known_;      // known findings are counted, in whatever mode the engine runs
  bool can_restart_ = true, mutates_ = false;
};

}  // namespace warpfuzz
