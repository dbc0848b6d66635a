// The commands of `warpfuzz`. Each returns an exit code of findings/exit_codes.h or throws a Failure.
#pragma once
#include <string>
#include <vector>

#include "campaign/run_options.h"
#include "client/context.h"
#include "illusion/illusion.h"

namespace warpfuzz::cli {

struct ListOptions {
  std::vector<std::string> folders;  // default: crashes
  std::string target;
  std::vector<std::string> where;  // NAME=TEXT over the attributes
  bool targets = false;
};
int list(const Context& c, const ListOptions& o);

struct ShowOptions {
  std::string file, target;
};
int show(const Context& c, const ShowOptions& o);

struct ReplayOptions {
  std::vector<std::string> files;
  std::string target;
  bool report = false;
};
int replay(const Context& c, const ReplayOptions& o);

struct ShrinkOptions {
  std::string file, target, out;
  double seconds = 0;  // 0: 5 in the process, 60 from outside
};
int shrink(const Context& c, const ShrinkOptions& o);

struct KeepOptions {
  std::string file, as, crashes;
  bool force = false;
};
int keep(const Context& c, const KeepOptions& o);

struct ExportOptions {
  std::string file, target, cu, npz;  // empty: not written
};
int export_case(const Context& c, const ExportOptions& o);

struct CodeOptions {
  std::string target, file, out;
};
int encode(const Context& c, const CodeOptions& o);
int decode(const Context& c, const CodeOptions& o);

struct ProfileOptions {
  std::string target;
  std::vector<std::string> shapes;  // "rows=128,cols=1025"; default: a list by the number of dims
  std::string dtype;
  int repeat = 20;
};
int profile(const Context& c, const ProfileOptions& o);

struct RandomOptions {
  std::string target, dtype;
  std::uint64_t cases = 1000, seed = 1;
  bool all = false;  // go on behind the first finding
};
int random(const Context& c, const RandomOptions& o);

struct StatsOptions {
  std::string target, dtype;
  std::vector<std::string> files;  // cases or folders of them; none: random ones
  std::uint64_t cases = 1000, seed = 1;
  int jobs = 1;
  bool by_fill = false;
};
int stats(const Context& c, const StatsOptions& o);

struct CalibrateOptions {
  std::string target, dtype, twin,
      write;  // twin: default <op>_twin, "none" for none; write: a file, "-" standard output
  std::uint64_t cases = 2000, twin_cases = 500, seed = 20260;
  int jobs = 1;
  bool check = false, tighten = false;
};
int calibrate(const Context& c, const CalibrateOptions& o);

// 77 where a key was found that no run of this folder has told yet and that is not kept.
int run(const Context& c, const RunOptions& o);

struct ReportOptions {
  std::string folder = ".", html, sarif, junit;  // none of the three: <folder>/campaign/report.html
};
int report(const Context& c, const ReportOptions& o);

struct CrosscheckOptions {
  std::vector<std::string> targets;                      // names; all, controls, bugs
  std::string with;                                      // folder of the other build's binaries
  std::vector<std::string> folders{"seeds", "crashes"};  // with a folder of cases for each target
};
int crosscheck(const Context& c, const CrosscheckOptions& o);

int version(const Context& c);

// What a replay of one file came to; `keep` asks for it as well.
struct Replayed {
  std::string recorded, now;  // keys; "" = no finding
  bool has_record = false, same = false;
  Reply reply;  // an answer or a fault event
};
Replayed replay_one(const Context& c, TargetClient& target, const CaseFile& file);

}  // namespace warpfuzz::cli
