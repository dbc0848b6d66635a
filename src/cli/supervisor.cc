// The loop: who runs next, what the running ones do, when it ends.
#include "cli/supervisor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <tuple>

#include "cli/target_list.h"
#include "findings/exit_codes.h"
#include "findings/format.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kTick = 1, kDraw = 2, kReport = 300, kStopPatience = 5, kShrinkPatience = 60;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

volatile std::sig_atomic_t g_stop = 0;  // a signal handler has no other way to tell
void on_stop(int number) { g_stop = number; }

std::string seeds_of(const std::string& bin, const std::string& target) {
  std::error_code ec;
  const std::string folder = (fs::path(bin) / ".." / "seeds" / target).lexically_normal().string();
  return fs::is_directory(folder, ec) ? folder : "";
}

}  // namespace

double clock_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

Supervisor::Supervisor(const Context& c, const RunOptions& o)
    : context_(c), options_(o), folder_(o.folder), index_(o.folder, true), view_(!c.json && ::isatty(STDOUT_FILENO)),
      log_(folder_.state("log"), !c.json && !view_.on()) {
  for (const std::string& name : resolve_targets(c, o.targets)) {
    TargetState t;
    t.name = name;
    t.binary = target_binary(c, name);
    t.seeds = seeds_of(c.bin, name);
    targets_.push_back(std::move(t));
  }
  start_ = clock_now();
  end_ = o.time > 0 ? start_ + o.time : std::numeric_limits<double>::infinity();
}

double Supervisor::time_left() const { return end_ - clock_now(); }

// Of processes that a killed supervisor could not count; of merges that it did not end.
void Supervisor::recover() {
  std::set<std::int64_t> open;
  for (const auto& [slice, target] : index_.open_slices()) {
    Counts counts;
    if (const std::string error = read_counts(folder_.counts(slice), counts); !error.empty()) say(error);
    index_.count(slice, counts, clock_now());
    index_.end_slice(slice, 0);
    say(fmt::format("{}: {} executions of a run that was killed are counted", target, counts.executions));
  }
  for (const StoredFile& f : files_in(folder_.root() + "/campaign"))
    if (f.name.starts_with("counts-")) ::unlink(f.path.c_str());
  for (TargetState& t : targets_) {
    folder_.prepare(t.name);
    t.row = index_.target(t.name);
    t.row.problem.clear();
    if (t.row.first_started == 0) t.row.first_started = clock_now();
    if (const std::vector<HistoryPoint> h = index_.history(t.name); !h.empty()) t.waits_since = h.back().time;
    measure_corpus(t);
    t.corpus_at_merge = t.row.corpus;
    scan(t);
  }
}

int Supervisor::run() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  g_stop = 0;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  run_.started = start_, run_.targets = fmt::format("{}", fmt::join(options_.targets, " ")), run_.backend = options_.backend;
  run_.workers = options_.workers, run_.seed = options_.seed;
  run_.id = index_.begin_run(run_);
  say(fmt::format("run {}: {} targets, {} workers, seed {}, folder '{}', {}", run_.id, targets_.size(), options_.workers, options_.seed, folder_.root(),
                  options_.time > 0 ? "for " + duration(options_.time) : "until it is stopped"));
  recover();
  loop();
  return finish();
}

void Supervisor::loop() {
  for (;;) {
    if (g_stop && !stop_) stop_all(g_stop == SIGINT ? "interrupted" : "ended by a signal");
    if (!stop_ && time_left() <= 0) {
      // Faults that ended a process are still shrunk: a report of this run should show the small case.
      const bool work = std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->kind == JobKind::shrink; }) ||
                        std::any_of(targets_.begin(), targets_.end(), [](const TargetState& t) { return t.new_files; });
      if (time_left() < -kShrinkPatience || (!work && !start_shrink())) stop_all("the time is up");
    }
    if (!stop_ && time_left() > 0) fill_slots();
    if (jobs_.empty() && (stop_ || (time_left() > 0 && std::all_of(targets_.begin(), targets_.end(), [](const TargetState& t) { return !t.row.problem.empty(); })))) return;
    std::vector<pollfd> fds;
    for (const auto& job : jobs_)
      if (job->child.errors() >= 0) fds.push_back({job->child.errors(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 200);
    for (std::size_t i = 0; i < jobs_.size();) {
      Job& job = *jobs_[i];
      const auto take = [&](const std::string& text) { line(job, text); };
      job.child.read_lines(take);
      if (const auto status = job.child.ended(take)) {
        const std::unique_ptr<Job> done = std::move(jobs_[i]);
        jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
        ended(*done, *status);  // may start another
        if (done->kind != JobKind::fuzz) ::malloc_trim(0);  // lists of files and answers of targets come and go
        continue;
      }
      watch(job);
      ++i;
    }
    if (clock_now() - last_tick_ >= kTick) tick();
    if (clock_now() - last_draw_ >= kDraw) draw();
  }
}

int Supervisor::most_workers_each() const {
  const auto usable = std::count_if(targets_.begin(), targets_.end(), [](const TargetState& t) { return t.row.problem.empty(); });
  return usable ? static_cast<int>((options_.workers + usable - 1) / usable) : 0;
}

bool Supervisor::all_had_turn() const {
  return std::all_of(targets_.begin(), targets_.end(), [](const TargetState& t) { return t.had_turn || !t.row.problem.empty(); });
}

// The one that has waited longest; before it those that this run has not reached.
std::size_t Supervisor::next_target(double now) const {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const TargetState& t = targets_[i];
    if (t.busy || !t.row.problem.empty() || t.not_before > now || t.fuzzing >= most_workers_each()) continue;
    if (t.had_turn && merge_due(t, now)) continue;  // as soon as nothing fuzzes it
    const auto rank = [](const TargetState& s) { return std::tuple(s.fuzzing, s.had_turn, s.waits_since); };
    if (best == kNone || rank(t) < rank(targets_[best])) best = i;
  }
  return best;
}

bool Supervisor::start_something() {
  const double now = clock_now();
  const bool shrinks = std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->kind == JobKind::shrink; });
  const bool chores = all_had_turn();  // one of them may take longer than a short run
  if (chores && !shrinks && start_shrink()) return true;
  for (std::size_t i = 0; chores && i < targets_.size(); ++i) {
    const TargetState& t = targets_[i];
    if (!t.row.problem.empty() || t.busy) continue;
    if (t.fuzzing == 0 && merge_due(t, now)) return start_merge(i);
    if (t.errors_due) return start_errors(i);
  }
  const std::size_t next = next_target(now);
  if (next == kNone) return false;
  const auto usable = std::count_if(targets_.begin(), targets_.end(), [](const TargetState& t) { return t.row.problem.empty(); });
  double length = options_.recycle > 0 ? options_.recycle : 1e9;  // as many workers as targets: no turns
  if (options_.workers < usable) {
    length = options_.slice;
    const double share = options_.time * options_.workers / static_cast<double>(usable);
    if (length <= 0) length = std::isfinite(end_) ? std::clamp(share / 3, std::clamp(share * 0.8, 1.0, 2.0), 60.0) : 60;
  }
  return start_fuzz(next, {now, now + std::min(length, time_left()), 0, targets_[next].row.corpus, 0});
}

void Supervisor::fill_slots() {
  while (static_cast<int>(jobs_.size()) < options_.workers && start_something()) {}
}

// A job that hangs, leaks or has become slow.
void Supervisor::watch(Job& job) {
  const double now = clock_now();
  if (job.stop_by > 0 && now > job.stop_by) return job.child.signal(SIGKILL);
  if (now > job.limit) {
    if (job.stop_by == 0) say(fmt::format("{}: a process does not end in its time and is killed", targets_[job.target].name));
    job.why = "it did not end in its time";
    job.stop_by = now + kStopPatience;
    job.child.signal(SIGKILL);
  }
}

void Supervisor::tick() {
  const double now = last_tick_ = clock_now();
  if (const std::string lost = index_.lost(); !lost.empty())
    throw Failure(kExitIndex,
                  lost + "; end what removes it, then run it again: a new one is made from the files of findings");
  for (const auto& owned : jobs_) {
    Job& job = *owned;
    TargetState& t = targets_[job.target];
    if (job.kind != JobKind::fuzz || job.stop_by > 0) continue;
    count(job);
    if (const std::uint64_t kb = memory_kb(job.child.pid())) job.memory = kb;  // 0: it has ended just now
    job.progress.push_back({now, processor_seconds(job.child.pid()), job.counts.executions});
    while (job.progress.size() > 2 && now - job.progress.front().time > 30) job.progress.pop_front();
    const Job::Progress &from = job.progress.front(), &to = job.progress.back();
    const double span = to.processor - from.processor, done = static_cast<double>(to.executions - from.executions);
    if (now > from.time) job.rate = done / (now - from.time);
    // By its own processor time: a machine that is busy with other things makes nobody slow.
    if (span > 10) job.pace = done / span, job.best_pace = std::max(job.best_pace, job.pace);
    if (job.memory > options_.memory_limit * 1024 * 8 / 10) ask_to_stop(job, fmt::format("it holds {} MB", job.memory / 1024));
    else if (options_.recycle > 0 && span > 10 && job.pace < job.best_pace / 20) ask_to_stop(job, fmt::format("it has become slow: {:.1f} executions/s, was {:.0f}", job.pace, job.best_pace));
    else if (merge_due(t, now) && now - job.started > 10 && job.turn.end - now > 60) ask_to_stop(job, "its corpus is merged");
    if (now - job.written >= 60) {
      job.written = now;
      store_counts(job);
      add_history(t);
    }
  }
  for (TargetState& t : targets_)
    if (t.new_files && now - t.scanned > 1) scan(t);
  if (now - last_report_ < kReport) return;
  last_report_ = now;
  std::uint64_t executions = 0, keys = 0;
  for (const TargetRow& r : index_.targets()) executions += r.executions;
  keys = index_.findings().size();
  say(fmt::format("supervisor: memory {} kB, {} executions, {} keys, {} processes", memory_kb(::getpid()), executions, keys, jobs_.size()));
  for (const auto& job : jobs_)
    if (job->kind == JobKind::fuzz && now - job->started > kReport - 1)
      say(fmt::format("{}: {} s, {:.0f}/s, cov {} ft {} corpus {}, memory {} kB", targets_[job->target].name, static_cast<int>(now - job->started), job->rate,
                      job->status.edges, job->status.features, job->status.corpus, job->memory));
}

void Supervisor::draw() {
  last_draw_ = clock_now();
  if (!view_.on()) return;
  std::vector<ViewRow> rows;
  for (const TargetState& t : targets_) {
    ViewRow r;
    r.target = t.row;
    r.findings = t.findings;
    for (const auto& job : jobs_) {
      if (&targets_[job->target] != &t) continue;
      if (job->kind == JobKind::fuzz) ++r.workers, r.rate += job->rate, r.target.executions += job->counts.executions - job->counted;
      else r.doing = job->kind == JobKind::merge ? "merging" : job->kind == JobKind::shrink ? "shrinking" : "measuring errors";
    }
    rows.push_back(std::move(r));
  }
  view_.draw(fmt::format("warpfuzz run, {}{}, {} workers, seed {}, log {}", duration(clock_now() - start_), options_.time > 0 ? " of " + duration(options_.time) : "",
                         options_.workers, options_.seed, folder_.state("log")),
             rows, clock_now());
}

void Supervisor::stop_all(const std::string& why) {
  stop_ = true;
  say(why + ": stopping");
  for (const auto& job : jobs_) ask_to_stop(*job, why);
}

int Supervisor::finish() {
  for (TargetState& t : targets_) scan(t), prune(t);
  run_.new_keys = index_.untold();
  run_.ended = clock_now();
  run_.memory_kb = memory_kb(::getpid());
  std::vector<FindingRow> fresh = index_.findings();
  std::erase_if(fresh, [](const FindingRow& f) { return f.told; });
  const bool useless = std::all_of(targets_.begin(), targets_.end(), [](const TargetState& t) { return !t.row.problem.empty(); });
  run_.exit_code = run_.new_keys ? kExitFinding : useless ? kExitTargetError : kExitOk;
  std::uint64_t executions = 0;
  for (const TargetState& t : targets_) executions += index_.target(t.name).executions;
  view_.clear();
  if (view_.on()) log_.show();  // the last lines and the last table stay
  say(fmt::format("run {} ends: {} executions so far, {} new keys, exit code {}", run_.id, executions, run_.new_keys, run_.exit_code));
  std::vector<std::string> not_run;
  for (const TargetState& t : targets_)
    if (!t.had_turn) not_run.push_back(t.name);
  if (!not_run.empty()) say(fmt::format("no turn for {} of {} targets, more --time or --workers reaches them: {}", not_run.size(), targets_.size(), fmt::join(not_run, " ")));
  for (const FindingRow& f : fresh) say(fmt::format("new: {} ({} times): {} -> {}", f.key, f.count, f.summary, f.path));
  index_.end_run(run_);
  draw();
  if (context_.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const FindingRow& f : index_.findings())
      list.push_back({{"key", f.key}, {"target", f.target}, {"count", f.count}, {"file", f.path}, {"elements", f.elements}, {"kept", f.kept},
                      {"new", std::any_of(fresh.begin(), fresh.end(), [&](const FindingRow& n) { return n.key == f.key; })}});
    print_json({{"run", run_.id}, {"executions", executions}, {"new_keys", run_.new_keys}, {"findings", list}, {"not_run", not_run}, {"seed", options_.seed}});
  }
  return run_.exit_code;
}

}  // namespace warpfuzz::cli
