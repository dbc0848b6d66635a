// The measured table of `warpfuzz illusion`, apart from how it is printed.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/context.h"

namespace warpfuzz::cli {

struct IllusionOptions {
  std::vector<std::string> targets;  // default: the controls, planted and subtle bugs of the build
  std::string dtype;
  std::uint64_t seed = 1, runs = 3000, adversarial = 100;
  int jobs = 1;
};

inline constexpr const char* kOurs = "warpfuzz";
inline constexpr const char* kPass = "pass";
inline constexpr const char* kFail = "fail";
inline constexpr const char* kNoRule = "no rule";

// One oracle's verdict of one kernel in one dtype. fail: the oracle rejects the kernel; of ours: the campaign had a finding.
struct IllusionRow {
  std::string kernel, list, dtype, oracle, verdict, detail;
  std::uint64_t executions = 0;  // of ours
  bool bug() const { return list != "controls"; }
  bool wrong() const { return bug() ? verdict == kPass : verdict == kFail; }
};

// False alarms of the oracles' tolerances on random cases of the correct kernels, summed over them.
struct AlarmRow {
  std::string dtype, oracle;
  std::uint64_t cases = 0, flagged = 0, flagged_finite = 0;
  void add(const AlarmRow& other) {
    cases += other.cases;
    flagged += other.flagged;
    flagged_finite += other.flagged_finite;
  }
};

struct IllusionCount {
  int planted = 0, planted_certified = 0, subtle = 0, subtle_certified = 0, controls = 0, controls_rejected = 0;
  void add(const IllusionRow& row);
};

struct Illusion {
  IllusionOptions options;
  std::vector<std::string> dtypes;  // in the order of their first appearance
  std::vector<IllusionRow> rows;    // by kernel, dtype, oracle
  std::vector<AlarmRow> alarms;
  IllusionCount count(const std::string& oracle, const std::string& dtype) const;  // dtype "": all
  bool good() const;  // ours: every bug found, no control alarmed
};

// Runs every check and a campaign on each kernel and dtype; progress goes to standard error.
Illusion measure_illusion(const Context& c, const IllusionOptions& o);

// The oracles in the order of the columns, ours last, and their heads.
std::vector<std::pair<std::string, std::string>> illusion_columns();

std::string illusion_text(const Illusion& i);
std::string illusion_markdown(const Illusion& i);
nlohmann::json illusion_json(const Illusion& i);

}  // namespace warpfuzz::cli
