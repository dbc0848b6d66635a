// `warpfuzz shrink`. Mismatches are shrunk inside the target's process. Faults that kill it are shrunk from here: one
// process proposes simpler cases, another runs them and is replaced whenever it dies. A simpler case is accepted iff the
// fault class stays the same, a wrong value stays about as wrong, and it fails in a fresh process too.
#include <fmt/format.h>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/counted.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"
#include "client/output_file.h"
#include "client/printed_command.h"
#include "oracle/severity.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string file, target, out;
  double seconds = 0;  // 0: 5 in the process, 60 from outside
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FILE", o.file, ".wfz, .case or raw case")->required();
  a.add_option("--target", o.target, "Target of a file that is no .wfz (default: the name of its folder)");
  add_seconds(a, "--seconds", o.seconds, "Time to spend (default: 5, or 60 where the fault kills the process)");
  a.add_option("-o,--out", o.out,
               "Where to write the result (default: FILE itself, or FILE.min.wfz where it is no .wfz)");
}

constexpr double kInsideSeconds = 5, kOutsideSeconds = 60;

// A file beside the result, removed in any case.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) {
    const fs::path folder = fs::absolute(beside).parent_path();
    path_ = (folder / fmt::format(".shrink-{}.wfz", ::getpid())).string();
  }
  ~Temporary() { clear(); }
  void clear() const { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Start {
  CaseFile file;
  std::string target;
  Bytes bytes;  // canonical
  std::string summary;
  FaultClass fault = FaultClass::none;
  WorstElement worst;
  bool kills = false;  // the process dies of it
  std::string key;
};

struct Best {
  Bytes bytes;
  WorstElement worst;  // of the case so far
  Finding finding;
  int attempts = 0, accepted = 0;
  bool complete = false;
};

FaultClass class_of(const Reply<RunResult>& r) { return r.died ? r.died->fault : r.answer.fault; }

// The worst element, where an output was judged.
WorstElement worst_of(const Reply<RunResult>& r) { return r.answer.worst.value_or(WorstElement{}); }

Start begin(const Context& c, const Options& o, TargetClient& target, CaseFile file) {
  Start s;
  s.target = target_of(file, o.target);
  Bytes bytes = file.bytes;
  if (file.kind == CaseFile::Kind::text) {
    bytes = encode_case(c, target, file.path, file.text).bytes;
  } else if (
      file.finding &&
      !file.finding->text
           .empty()) {  // its text outlives changes of the target's lists; its bytes stand in for a text that does not parse
    const Reply<Encoded> r = target.ask(EncodeRequest{file.finding->text}, c.limit(kQuickSeconds));
    if (r.ok()) bytes = r.answer.bytes;
  }
  const Decoded decoded = must(target.ask(DecodeRequest{bytes}, c.limit(kQuickSeconds)));
  s.bytes = decoded.bytes;
  s.summary = decoded.summary;
  const Reply<RunResult> r = target.ask(RunRequest{s.bytes, {}}, c.limit(kRunSeconds));
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  s.fault = class_of(r);
  s.worst = worst_of(r);
  s.kills = r.died.has_value();
  s.key = r.died ? r.died->key : r.answer.key;
  if (s.fault == FaultClass::none) {
    throw Failure(kExitReplayDiffers, fmt::format("'{}': nothing to shrink: it fails no check now ({})",
                                                  printable(file.path, false), s.summary));
  }
  s.file = std::move(file);
  return s;
}

// What the target saved for this failing run, or, where it died before it could, what is known from outside.
Finding finding_of(const Context& c, TargetClient& helper, const Start& s, const Temporary& saved,
                   const Reply<RunResult>& run, const Bytes& bytes) {
  if (Result<Finding> r = read_wfz(saved.path()); r && r->bytes == bytes) return *std::move(r);
  const Decoded decoded = must(helper.ask(DecodeRequest{bytes}, c.limit(kQuickSeconds)));
  const Hello hello = must(helper.hello());
  Finding f;
  if (s.file.finding) f = *s.file.finding;
  f.inputs.clear(), f.outputs.clear();  // of the larger case
  f.verdict = {};
  f.errors = {};
  f.allowance.clear();
  f.target = s.target;
  f.op = hello.op;
  f.backend = hello.backend;
  f.fault = class_of(run);
  f.bytes = bytes;
  f.text = decoded.text;
  f.summary = decoded.summary;
  f.attributes = {{"kind", std::string(fault_name(f.fault))}};
  const std::size_t dtype = f.summary.find(' ') + 1, end = f.summary.find(' ', dtype);  // behind the op's name
  if (dtype > 0) f.attributes["dtype"] = f.summary.substr(dtype, end == std::string::npos ? end : end - dtype);
  if (run.died) f.place = run.died->place, f.message = run.died->message;
  return f;
}

// Runs one case with `save`; true where it may stand for the one that shrinking began with, in a process that nothing ran in before.
bool still_fails(const Context& c, const Start& s, TargetClient& runner, const Temporary& saved, const Bytes& bytes,
                 Reply<RunResult>& reply) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool fresh = runner.fresh();
    saved.clear();
    reply = runner.ask(RunRequest{bytes, saved.path()}, c.limit(kRunSeconds));
    if (!reply.error.empty() || !stands_for(class_of(reply), worst_of(reply).ratio, s.fault, s.worst.ratio))
      return false;
    if (fresh) return true;
    runner.restart();
  }
  return false;
}

Best from_outside(const Context& c, const Options& o, const Start& s, TargetClient& helper, const Temporary& saved) {
  const double seconds = o.seconds > 0 ? o.seconds : kOutsideSeconds;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(static_cast<long long>(seconds * 1000));
  TargetClient runner(helper.binary());
  Best best;
  best.bytes = s.bytes;
  best.worst = s.worst;
  for (bool again = true; again && !best.complete;) {
    const CandidatesRequest request{best.bytes, best.worst.tensor, best.worst.at};
    const Candidates answer = must(helper.ask(request, c.limit(kQuickSeconds)));
    again = false;
    bool time_up = false;
    for (const Bytes& candidate : answer.candidates) {
      if (candidate == best.bytes) continue;
      if ((time_up = Clock::now() >= end)) break;
      ++best.attempts;
      Reply<RunResult> reply;
      if (!still_fails(c, s, runner, saved, candidate, reply)) continue;
      best.bytes = candidate;
      best.worst = worst_of(reply);
      best.finding = finding_of(c, helper, s, saved, reply, candidate);
      ++best.accepted;
      note(fmt::format("attempt {}: {}", best.attempts, best.finding.summary));
      again = true;
      break;
    }
    best.complete = !again && !time_up;
  }
  return best;
}

// Nothing where a candidate killed the process or the result needs what ran before it: then the work is done from outside.
std::optional<Best> inside(const Context& c, const Options& o, const Start& s, TargetClient& target,
                           const Temporary& saved) {
  const double seconds = o.seconds > 0 ? o.seconds : kInsideSeconds;
  const Reply<ShrinkResult> r =
      target.ask(ShrinkRequest{s.bytes, {}, saved.path(), seconds}, seconds + c.limit(kRunSeconds));
  if (r.died) {
    note(fmt::format("a simpler case dies of {}: going on from outside of the process", r.died->key));
    return std::nullopt;
  }
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  if (r.answer.result.save_error) throw Failure(kExitCannotWrite, *r.answer.result.save_error);
  Best best;
  best.bytes = r.answer.bytes;
  best.attempts = static_cast<int>(r.answer.attempts);
  best.complete = r.answer.complete;
  if (best.bytes == s.bytes) return best;
  best.accepted = 1;
  TargetClient afresh(target.binary());
  Reply<RunResult> reply;
  if (!still_fails(c, s, afresh, saved, best.bytes, reply)) {
    note("what is left fails only after the cases that ran before it: going on from outside of the process");
    return std::nullopt;
  }
  best.finding = finding_of(c, target, s, saved, reply, best.bytes);
  return best;
}

std::string default_out(const CaseFile& file) {
  if (file.kind == CaseFile::Kind::wfz) return file.path;
  return (file.path.ends_with(".case") ? file.path.substr(0, file.path.size() - 5) : file.path) + ".min.wfz";
}

int run(const Context& c, const Options& o) {
  CaseFile file = load(o.file);
  check_target(file, target_of(file, o.target));
  const std::string out = o.out.empty() ? default_out(file) : o.out;
  if (out == "-") throw Failure(kExitUsage, "-o: expected a file, got '-': a .wfz is no text for standard output");
  // A .wfz may be replaced by its smaller self; any other case is an input.
  check_outputs(c, {{"-o", out}}, file.finding ? std::vector<std::string>{} : std::vector<std::string>{o.file});
  TargetClient target(target_binary(c, target_of(file, o.target)));
  const Start s = begin(c, o, target, std::move(file));
  note(fmt::format("{}: {}", s.key, s.summary));
  const Temporary saved(out);
  std::optional<Best> best;
  if (!s.kills) best = inside(c, o, s, target, saved);
  if (!best) best = from_outside(c, o, s, target, saved);

  const bool smaller = best->accepted > 0;
  if (smaller) {
    if (const std::string error = write_wfz(out, best->finding, Folders::must_exist); !error.empty())
      throw Failure(kExitCannotWrite, error);
  }
  const std::string ending = best->complete ? "nothing simpler fails" : "the time was up";
  if (c.json) {
    json j{{"file", o.file},          {"target", s.target},         {"fault", fault_name(s.fault)},
           {"smaller", smaller},      {"attempts", best->attempts}, {"complete", best->complete},
           {"from_outside", s.kills}, {"before", s.summary}};
    if (smaller) {
      j["out"] = out;
      j["key"] = bucket_key(best->finding);
      j["after"] = best->finding.summary;
      j["elements"] = input_elements(best->finding);
      j["text"] = best->finding.text;
      j["bytes"] = to_hex(best->bytes);
    }
    print_json(j);
  } else if (smaller) {
    print(fmt::format("{}\n  before  {}\n  after   {}\n  {}, {}\n{}", bucket_key(best->finding), s.summary,
                      best->finding.summary, counted(best->attempts, "attempt"), ending, best->finding.text));
    print(fmt::format("written to {}\nreplay: {}\n", printable(out, false), replay_command(c, s.target, out)));
  } else {
    print(fmt::format("nothing smaller: {} ({}, {})\n", s.summary, counted(best->attempts, "attempt"), ending));
  }
  return smaller ? kExitOk : kExitNotSmaller;
}

}  // namespace

extern const Command kShrink{"shrink", "Make a finding smaller while its fault class stays the same", declare, run};

}  // namespace warpfuzz::cli
