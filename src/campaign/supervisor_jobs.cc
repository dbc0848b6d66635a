// Starting fuzzing processes and what comes of them.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/option_text.h"
#include "campaign/dims_reached.h"
#include "campaign/supervisor.h"
#include "numeric/hash.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDeaths = 20;  // of one turn
constexpr int kMostBadStarts = 3;
constexpr double kGrace = 120, kStopPatience = 5;

// The user's own options come first; ours take the place of those that they give too.
std::string options_with(const std::vector<OptionPair>& ours) {
  const char* given = std::getenv("WARPFUZZ_OPTIONS");
  return "WARPFUZZ_OPTIONS=" + with_options(given ? given : "", ours);
}

// Why a process ended, as far as its last lines say: the last one that WarpFuzz itself wrote, else the last one of all. What a
// sanitizer or libFuzzer prints behind it, a stack or the command that reruns the case, is in the whole text.
std::string reason_of(const std::string& tail) {
  constexpr std::string_view kOurs = "warpfuzz: ";
  std::string last, ours;
  for (std::size_t begin = 0, end; (end = tail.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = tail.substr(begin, end - begin);
    if (line.empty()) continue;
    last = line;
    if (line[0] == '#') ours.clear();  // cases ran after what was said
    if (line.starts_with(kOurs)) ours = line.substr(kOurs.size());
    else if (line.find("error: warpfuzz: ") != std::string::npos) ours = line;  // behind the place in a kernel's source
  }
  return printable((ours.empty() ? last : ours).substr(0, 300), false);
}

std::string how_it_ended(const ExitStatus& s) {
  return s.signal ? fmt::format("signal {} ({})", s.signal, ::strsignal(s.signal))
                  : fmt::format("exit code {}", s.code);
}

}  // namespace

bool Supervisor::launch(std::unique_ptr<Job> job, const ProcessCommand& command) {
  if (const std::string error = job->child.start(command); !error.empty()) throw Failure(kExitNoTarget, error);
  job->pid = job->child.pid();
  jobs_.push_back(std::move(job));
  return true;
}

bool Supervisor::start_fuzz(std::size_t target, const Turn& turn) {
  TargetState& t = targets_[target];
  const double now = clock_now(), seconds = std::min(turn.end, end_) - now;
  if (seconds < 0.5) return false;
  restore_folders(t);
  auto job = std::make_unique<Job>();
  job->target = target;
  job->started = job->written = now;
  job->turn = turn;
  job->limit = turn.end + kGrace;
  job->slice = index_.begin_slice(t.name, now);
  job->seed = 1 + mix64(hash_combine(options_.seed, static_cast<std::uint64_t>(job->slice))) % 0xfffffffeu;
  ProcessCommand c;
  c.argv = {t.binary,
            fmt::format("-max_total_time={}", static_cast<long long>(std::clamp(std::round(seconds), 1.0, 1e9))),
            fmt::format("-seed={}", job->seed),
            fmt::format("-rss_limit_mb={}", options_.memory_limit),
            fmt::format("-artifact_prefix={}/", folder_.crashes(t.name)),
            folder_.corpus(t.name)};
  if (!t.seeds.empty()) c.argv.push_back(t.seeds);
  c.environment = {options_with({{"known", "continue"},
                                 {"restart", "off"},
                                 {"crashes", folder_.crashes(t.name)},
                                 {"counts", folder_.counts(job->slice)}})};
  ++t.fuzzing;
  t.had_turn = true;
  return launch(std::move(job), c);
}

void Supervisor::ask_to_stop(Job& job, const std::string& why) {
  if (job.stop_by > 0) return;
  job.why = why;
  // A fuzzing process ends between two cases; the others' work is repeated.
  job.stop_by = clock_now() + (job.kind == JobKind::fuzz ? kStopPatience : 0);
  if (job.kind == JobKind::fuzz) job.child.signal(SIGUSR1);
}

void Supervisor::line(Job& job, const std::string& text) {
  TargetState& t = targets_[job.target];
  FuzzerStatus status;
  if (job.kind == JobKind::fuzz && parse_status(text, status)) {
    job.status = status;
    t.row.edges = std::max(t.row.edges, status.edges);
    t.row.features = std::max(t.row.features, status.features);
    if (status.is_new) t.row.last_new = clock_now();
  }
  if (job.kind == JobKind::merge && parse_merge(text, status)) job.status = status;
  if (job.kind != JobKind::fuzz) return;
  if (says_finding(text) || ends_finding(text)) t.new_files = true;
  if (const std::string key = begun_finding(text); !key.empty()) job.in_hand = key;
  if (ends_finding(text)) job.in_hand.clear();
  if (job.told.take(text)) told(t, job.told.told());
  constexpr std::string_view kTrouble = "warpfuzz: cannot ";  // of its files: the counts, the case that runs, a finding
  if (text.starts_with(kTrouble) && text.find(" is not on disk, its case is: ") == std::string::npos &&
      warned_.insert(t.name + text.substr(0, 60)).second)
    say(fmt::format("{}: {}", t.name, printable(text.substr(10, 400), false)));
}

bool Supervisor::count(Job& job) {
  Result<Counts> now = read_counts(folder_.counts(job.slice));
  if (!now) {
    if (warned_.insert(now.line()).second) say(now.line());
    return false;
  }
  if (now->executions >= job.counts.executions) job.counts = *std::move(now);
  return true;
}

void Supervisor::store_counts(Job& job) {
  TargetState& t = targets_[job.target];
  index_.count(job.slice, job.counts, clock_now());
  t.row.executions += job.counts.executions - job.counted;
  t.executions += job.counts.executions - job.counted;
  job.counted = job.counts.executions;
  if (!job.counts.keys.empty()) t.findings = index_.findings(t.name);
}

void Supervisor::give_up(TargetState& t, const std::string& why) {
  t.row.problem = why;
  index_.save(t.row);
  say(fmt::format("{} is not run any more: {}", t.name, why));
}

void Supervisor::ended(Job& job, const ExitStatus& status) {
  if (job.kind != JobKind::fuzz) {
    const double took = clock_now() - job.started;
    budget_.end(job.expected, took);
    ++chores_done_[job.kind].number, chores_done_[job.kind].seconds += took;
  }
  switch (job.kind) {
    case JobKind::fuzz: return fuzz_ended(job, status);
    case JobKind::merge: return merge_ended(job, status);
    case JobKind::shrink: return shrink_ended(job, status);
    case JobKind::errors: return errors_ended(job, status);
  }
}

// What a process's exit code says about how it ended, and what follows.
struct Supervisor::Ending {
  std::string text;      // for the log, behind the numbers
  bool again = false;    // the turn goes on in another process
  bool died = false;     // not in order
  bool in_vain = false;  // before it ran a case
  bool own = false;      // by an error of the target's own code, or by an unknown one: worth a line each time
};

Supervisor::Ending Supervisor::ending_of(Job& job, const ExitStatus& status) {
  TargetState& t = targets_[job.target];
  Ending e;
  if (job.stop_by > 0) {
    e.text = ", stopped: " + job.why;
    if (!stopping()) ++t.row.recycled, e.again = !merge_next(t, clock_now());
    return e;
  }
  if (status.code == kExitOk) return e;
  e.again = true;
  switch (status.code) {
    case kExitFinding: e.text = ", ended by a fault", e.died = true, ++t.row.deaths; return e;
    case kExitTimeout: e.text = ", ended by libFuzzer's time limit", e.died = e.own = true, ++t.row.timeouts; return e;
    case kExitMemory:
      e.text = ", ended by libFuzzer's memory limit", e.died = e.own = true, ++t.row.out_of_memory;
      return e;
    case kExitInterrupted: e.text = ", ended by a signal from outside", e.own = true; return e;
    default: break;
  }
  const std::string& tail = job.child.tail();
  const std::string reason = reason_of(tail);
  if (const std::string error = write_file(folder_.state("death-" + t.name + ".txt"), Bytes(tail.begin(), tail.end()));
      !error.empty())
    say(error);
  e.text = fmt::format(", ended by {}: {}", how_it_ended(status), reason);
  e.died = e.own = true, ++t.row.deaths;
  e.in_vain = job.counts.executions == 0;
  return e;
}

void Supervisor::fuzz_ended(Job& job, const ExitStatus& status) {
  TargetState& t = targets_[job.target];
  const double now = clock_now(), seconds = now - job.started;
  const bool read = count(job);
  store_counts(job);
  if (read) {  // otherwise the next run reads them again
    index_.end_slice(job.slice, seconds);
    ::unlink(folder_.counts(job.slice).c_str());
  }
  t.seconds += seconds;
  --t.fuzzing;
  t.waits_since = now;
  keep_within_limit(t);
  scan(t);

  if (status.code == kExitOk)
    ::unlink(fmt::format("{}/.inflight-{}", folder_.crashes(t.name), static_cast<int>(job.pid)).c_str());
  const Ending e = ending_of(job, status);
  t.bad_starts = e.in_vain ? t.bad_starts + 1 : 0;
  Turn turn = job.turn;
  turn.executions += job.counts.executions;
  turn.deaths += e.again && e.died;
  const bool again = e.again && !stopping() && turn.deaths < kMostDeaths && std::min(turn.end, end_) - now > 0.5;
  if (!again || job.stop_by > 0 || e.own) {  // faults come by the thousand: a line a turn
    const double length = now - turn.started;
    say(fmt::format("{}: {:.0f} s, {} executions ({:.0f}/s), cov {} ft {} corpus {} (+{}), memory {} MB, seed {}{}{}{}",
                    t.name, length, turn.executions, length > 0 ? static_cast<double>(turn.executions) / length : 0.0,
                    t.row.edges, t.row.features, t.row.corpus, t.row.corpus - std::min(t.row.corpus, turn.corpus),
                    job.memory / 1024, job.seed, turn.deaths > 1 ? fmt::format(", {} processes died", turn.deaths) : "",
                    t.findings.empty() ? "" : ", findings: " + keys_text(t.findings), e.text));
  }
  t.row.dims = merge_dims(t.row.dims, dims_line(job.child.tail()));
  index_.save(t.row);
  add_history(t);
  prune(t);
  if (!t.errors_tried && job.counts.executions > 0) t.errors_due = index_.errors(t.name).empty(), t.errors_tried = true;
  if (job.stop_by == 0 && status.code == kExitCannotWrite) {  // the same would befall every other process
    cannot_write_ = fmt::format("{}: {}", t.name, reason_of(job.child.tail()));
    return stop_all("a process cannot write its files");
  }
  if (job.stop_by == 0 && status.code >= kExitUsage) return give_up(t, reason_of(job.child.tail()));
  if (t.bad_starts >= kMostBadStarts)
    return give_up(t, fmt::format("three processes in a row ran no case: {}; see {}", reason_of(job.child.tail()),
                                  folder_.state("death-" + t.name + ".txt")));
  if (again && start_fuzz(job.target, turn)) return;
  t.bad_turns =
      turn.deaths >= kMostDeaths ? std::min(t.bad_turns + 1, 6) : 0;  // it dies faster than it works: others first
  t.not_before = t.bad_turns ? now + std::ldexp(1.0, t.bad_turns) : 0;
}

}  // namespace warpfuzz::cli
