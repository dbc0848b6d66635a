// Starting fuzzing processes and what comes of them.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cli/supervisor.h"
#include "findings/exit_codes.h"
#include "findings/json_fields.h"
#include "numeric/hash.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDeaths = 20;      // of one turn
constexpr double kGrace = 120, kStopPatience = 5;

// The user's own options come first; ours win.
std::string options_with(const std::string& own) {
  const char* given = std::getenv("WARPFUZZ_OPTIONS");
  return "WARPFUZZ_OPTIONS=" + (given && *given ? std::string(given) + ":" : "") + own;
}

std::string last_line(const std::string& tail) {
  std::string line;
  for (std::size_t begin = 0, end; (end = tail.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (end > begin) line = tail.substr(begin, end - begin);
  if (line.starts_with("warpfuzz: ")) line.erase(0, 10);
  return printable(line.substr(0, 300), false);
}

std::string how_it_ended(const Subprocess::Status& s) {
  return s.signal ? fmt::format("signal {} ({})", s.signal, ::strsignal(s.signal)) : fmt::format("exit code {}", s.code);
}

}  // namespace

bool Supervisor::launch(std::unique_ptr<Job> job, const Child::Command& command) {
  if (const std::string error = job->child.start(command); !error.empty()) throw Failure(kExitNoTarget, error);
  job->pid = job->child.pid();
  jobs_.push_back(std::move(job));
  return true;
}

bool Supervisor::start_fuzz(std::size_t target, const Turn& turn) {
  TargetState& t = targets_[target];
  const double now = clock_now(), seconds = std::min(turn.end, end_) - now;
  if (seconds < 0.5) return false;
  auto job = std::make_unique<Job>();
  job->target = target;
  job->started = job->written = now;
  job->turn = turn;
  job->limit = turn.end + kGrace;
  job->slice = index_.begin_slice(t.name, now);
  job->seed = 1 + mix64(hash_combine(options_.seed, static_cast<std::uint64_t>(job->slice))) % 0xfffffffeu;
  Child::Command c;
  c.argv = {t.binary, fmt::format("-max_total_time={}", static_cast<long long>(std::clamp(std::round(seconds), 1.0, 1e9))), fmt::format("-seed={}", job->seed),
            fmt::format("-rss_limit_mb={}", options_.memory_limit), fmt::format("-artifact_prefix={}/", folder_.crashes(t.name)), folder_.corpus(t.name)};
  if (!t.seeds.empty()) c.argv.push_back(t.seeds);
  c.environment = {options_with(fmt::format("known=continue:restart=off:crashes={}:counts={}", folder_.crashes(t.name), folder_.counts(job->slice)))};
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
  if (job.kind == JobKind::fuzz && says_finding(text)) t.new_files = true;
}

void Supervisor::count(Job& job) {
  Counts now;
  if (const std::string error = read_counts(folder_.counts(job.slice), now); !error.empty()) say(error);
  else if (now.executions >= job.counts.executions) job.counts = std::move(now);
}

void Supervisor::store_counts(Job& job) {
  TargetState& t = targets_[job.target];
  index_.count(job.slice, job.counts, clock_now());
  t.row.executions += job.counts.executions - job.counted;
  job.counted = job.counts.executions;
  if (!job.counts.keys.empty()) t.findings = index_.findings(t.name);
}

void Supervisor::give_up(TargetState& t, const std::string& why) {
  t.row.problem = why;
  index_.save(t.row);
  say(fmt::format("{} is not run any more: {}", t.name, why));
}

void Supervisor::ended(Job& job, const Subprocess::Status& status) {
  switch (job.kind) {
    case JobKind::fuzz: return fuzz_ended(job, status);
    case JobKind::merge: return merge_ended(job, status);
    case JobKind::shrink: return shrink_ended(job, status);
    case JobKind::errors: return errors_ended(job, status);
  }
}

void Supervisor::fuzz_ended(Job& job, const Subprocess::Status& status) {
  TargetState& t = targets_[job.target];
  const double now = clock_now(), seconds = now - job.started;
  count(job);
  store_counts(job);
  index_.end_slice(job.slice, seconds);
  ::unlink(folder_.counts(job.slice).c_str());
  --t.fuzzing;
  t.waits_since = now;
  measure_corpus(t);
  scan(t);

  const bool by_us = job.stop_by > 0;
  if (status.code == kExitOk) ::unlink(fmt::format("{}/.inflight-{}", folder_.crashes(t.name), static_cast<int>(job.pid)).c_str());
  std::string ending;
  bool again = false, in_vain = false;
  if (by_us) {
    ending = ", stopped: " + job.why;
    if (!stopping()) ++t.row.recycled, again = !merge_due(t, now);
  } else if (status.code == kExitFinding) {
    ++t.row.deaths, again = true;
    ending = ", ended by a fault";
  } else if (status.code == kExitTimeout || status.code == kExitMemory) {
    ++(status.code == kExitTimeout ? t.row.timeouts : t.row.out_of_memory), again = true;
    ending = status.code == kExitTimeout ? ", ended by libFuzzer's time limit" : ", ended by libFuzzer's memory limit";
  } else if (status.code != kExitOk) {
    const std::string kept = folder_.state("death-" + t.name + ".txt");
    const std::string& tail = job.child.tail();
    write_file(kept, Bytes(tail.begin(), tail.end()));
    ending = fmt::format(", ended by {}: {}", how_it_ended(status), last_line(tail));
    ++t.row.deaths, again = true;
    in_vain = job.counts.executions == 0;
  }
  t.bad_starts = in_vain ? t.bad_starts + 1 : 0;
  Turn turn = job.turn;
  turn.executions += job.counts.executions;
  turn.deaths += again && !by_us;
  again = again && !stopping() && turn.deaths < kMostDeaths && std::min(turn.end, end_) - now > 0.5;
  if (!again || (!by_us && status.code != kExitFinding)) {  // faults come by the thousand: a line a turn
    const double length = now - turn.started;
    say(fmt::format("{}: {:.0f} s, {} executions ({:.0f}/s), cov {} ft {} corpus {} (+{}), memory {} MB, seed {}{}{}{}", t.name, length, turn.executions,
                    length > 0 ? static_cast<double>(turn.executions) / length : 0.0, t.row.edges, t.row.features, t.row.corpus,
                    t.row.corpus - std::min(t.row.corpus, turn.corpus), job.memory / 1024, job.seed,
                    turn.deaths > 1 ? fmt::format(", {} processes died", turn.deaths) : "", t.findings.empty() ? "" : ", findings: " + keys_text(t.findings), ending));
  }
  index_.save(t.row);
  add_history(t);
  prune(t);
  if (!t.errors_tried && job.counts.executions > 0) t.errors_due = index_.errors(t.name).empty(), t.errors_tried = true;
  if (status.code >= kExitUsage) return give_up(t, last_line(job.child.tail()));
  if (t.bad_starts >= 3) return give_up(t, fmt::format("three processes in a row ran no case: {}; see {}", last_line(job.child.tail()), folder_.state("death-" + t.name + ".txt")));
  if (again && start_fuzz(job.target, turn)) return;
  t.bad_turns = turn.deaths >= kMostDeaths ? std::min(t.bad_turns + 1, 6) : 0;  // it dies faster than it works: others first
  t.not_before = t.bad_turns ? now + std::ldexp(1.0, t.bad_turns) : 0;
}

}  // namespace warpfuzz::cli
