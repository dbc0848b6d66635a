// What a campaign keeps on disk: a file for each finding, the case that runs, the counts. And which findings are known already.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/count_file.h"
#include "engine/invocation.h"
#include "engine/store/known_findings.h"
#include "pipeline/options.h"
#include "pipeline/run_case.h"
#include "process/in_flight.h"

namespace warpfuzz {

class FindingStore {
 public:
  // Makes the folder and reads what is known; ends the process where the folder cannot be written. A merge and -minimize_crash
  // keep nothing.
  FindingStore(const Target& target, Backend& backend, const Options& options, const Invocation& invocation);
  bool writes() const { return writes_; }

  // Before the first case; ends the process where counts that were asked for cannot be kept. goes_on: a process before this one
  // has counted.
  void start(bool goes_on);
  void begin(std::span<const std::uint8_t> bytes) { in_flight_.begin(bytes); }  // the case that runs now
  void end() { in_flight_.end(); }
  void executed() { counts_.executed(); }
  void found(const std::string& key) { counts_.found(key); }
  void close() { in_flight_.close(); }  // no file of a running case is left
  void drop() {
    in_flight_.drop();
  }  // the same, while another thread may still write to it: the process is about to end

  bool knows(const std::string& key) const { return known_.has(key); }
  // Whether nothing more is to be found out about a failing case: its key is known, and its variant.
  bool knows(const CaseResult& r, const std::string& key);
  std::string file_of(const std::string& key, const std::string& variant) const { return known_.file_of(key, variant); }
  void take_up(const std::map<std::string, KnownFindings::Variants>& known);
  const std::map<std::string, KnownFindings::Variants>& known() const { return known_.keys(); }

  // Writes a finding that the folder has none of its kind of. The path; "" where there is one, or it is not written.
  std::string save_new(const Finding& f, const std::string& key);
  // Shrinks what save_new() wrote, by a build that survives the fault (null: as it is), and asks the plain build. f becomes what the file holds.
  // False: the last version could not be written.
  bool settle(const CaseResult& r, Finding& f, const std::string& path, Backend* survives);
  // The case as a raw file; its path, "" where it could not be written.
  std::string save_raw(const Bytes& bytes) const;

 private:
  void open_folder();
  void read_known(const std::string& folder);
  bool save(const Finding& f, const std::string& path) const;

  const Target& target_;
  Backend& backend_;
  const Options& options_;
  const Invocation& invocation_;
  std::string folder_;
  bool writes_;
  InFlight in_flight_;
  CountFile counts_;
  KnownFindings known_;
  std::map<std::string, std::uint64_t> tried_;  // cases of a key that were asked for their variant
};

}  // namespace warpfuzz
