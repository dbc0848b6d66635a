// A replay of files: each case is run with every check, its report is printed, and a reproducer is compared with what it recorded.
#pragma once
#include <map>
#include <string>

#include "base/exit_codes.h"
#include "engine/session.h"
#include "findings/finding.h"
#include "pipeline/load_case.h"

namespace warpfuzz {

class Replayer : public Session {
 public:
  // Of the process, behind a case that has a finding.
  enum class Behind { end, next_file };
  Replayer(const Target& target, Backend& backend, const Options& options, const Invocation& invocation, Behind behind);

  // Reports of this case name the file.
  void name(Bytes bytes, const std::string& path);
  // The case that a file holds: reports name the file, and a reproducer's case is compared with what it recorded.
  void add(const std::string& path, const LoadedCase& loaded);
  // A file as whoever reads it hands it to test_one(): what it holds stands for the bytes of its case.
  void add_contents(const std::string& path, Bytes contents, const LoadedCase& loaded);
  int exit_code() const { return failures_ ? kExitFinding : kExitOk; }
  bool debugged() const override { return traced(); }

 protected:
  int run(std::span<const std::uint8_t> bytes) override;
  std::uint64_t executions() const override { return executions_; }
  void report_fatal(const ExecStatus& status, bool sanitizer_first) override;
  bool sanitizer_first(const ExecStatus&) const override { return true; }  // no file is written that could hold it
  void on_refused_end(const std::string& construct, const char* how) override;
  void hide_engine(const std::string& last) override;

 private:
  CaseResult replay(std::span<const std::uint8_t> bytes, const Finding* recorded);
  Finding describe(const CaseResult& r, const Finding* recorded);
  void compare(const CaseResult& r, const Finding& f, const Finding& recorded) const;
  std::string command() const;  // replays the current case

  std::map<Bytes, Bytes> cases_;        // contents of .wfz and .case files -> the bytes of their case
  std::map<Bytes, Finding> recorded_;   // by the bytes of the case
  std::map<Bytes, std::string> files_;  // that the user gave, by the bytes of the case
  std::uint64_t executions_ = 0;
  int failures_ = 0;
  Behind behind_;
};

}  // namespace warpfuzz
