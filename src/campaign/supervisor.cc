// The loop: what the running ones do, when it ends.
#include "campaign/supervisor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "base/exit_codes.h"
#include "base/process/usage.h"
#include "base/text/counted.h"
#include "client/target_list.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kTick = 1, kDraw = 2, kReport = 300, kStopPatience = 5;

volatile std::sig_atomic_t g_stop = 0;  // a signal handler has no other way to tell
void on_stop(int number) { g_stop = number; }

std::string seeds_of(const std::string& bin, const std::string& target) {
  std::error_code ec;
  const std::string folder = (fs::path(bin) / ".." / "seeds" / target).lexically_normal().string();
  return fs::is_directory(folder, ec) ? folder : "";
}

}  // namespace

double clock_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Supervisor::Supervisor(const Context& c, const RunOptions& o)
    : context_(c),
      options_(o),
      folder_(o.folder),
      index_(o.folder, true),
      view_(!c.json && ::isatty(STDOUT_FILENO)),
      log_(folder_.state("log"), !c.json && !view_.on()),
      budget_(o.chores / 100.0, o.workers, o.time > 0 ? o.time : std::numeric_limits<double>::infinity()) {
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

// Of processes that a killed supervisor could not count; of merges and error records that it did not end.
void Supervisor::recover() {
  std::set<std::string> unread;
  for (const auto& [slice, target] : index_.open_slices()) {
    const Result<Counts> counts = read_counts(folder_.counts(slice));
    if (!counts) {
      say(counts.line() + "; it is kept, and read again by the next run");
      unread.insert(folder_.counts(slice));
      continue;
    }
    index_.count(slice, *counts, clock_now());
    index_.end_slice(slice, 0);
    say(fmt::format("{}: {} executions of a run that was killed are counted", target, counts->executions));
  }
  for (const StoredFile& f : files_in(folder_.root() + "/campaign"))
    if ((f.name.starts_with("counts-") && !unread.contains(f.path)) || f.name.starts_with("merge-") ||
        f.name.starts_with("errors-"))
      ::unlink(f.path.c_str());
  for (TargetState& t : targets_) {
    if (const std::size_t cut_off = folder_.prepare(t.name))
      say(fmt::format(
          "{}: {} empty files are removed from its corpus, inputs that a full disk cut off; they are found again",
          t.name, cut_off));
    t.row = index_.target(t.name);
    t.row.problem.clear();
    if (t.row.first_started == 0) t.row.first_started = clock_now();
    if (const std::vector<HistoryPoint> h = index_.history(t.name); !h.empty()) t.waits_since = h.back().time;
    for (const FindingRow& f : index_.findings(t.name))
      if (!f.path.empty()) announced_.insert(f.key);
    measure_corpus(t);
    t.corpus_at_merge = t.row.corpus;
    scan(t);
  }
}

int Supervisor::run() {
  struct sigaction action{};
  action.sa_handler = on_stop;
  g_stop = 0;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  run_.started = start_, run_.targets = fmt::format("{}", fmt::join(options_.targets, " ")),
  run_.backend = options_.backend;
  run_.workers = options_.workers, run_.seed = options_.seed;
  try {
    run_.id = index_.begin_run(run_);
    say(fmt::format("run {}: {}, {}, seed {}, folder '{}', {}", run_.id, counted(targets_.size(), "target"),
                    counted(static_cast<std::size_t>(options_.workers), "worker"), options_.seed, folder_.root(),
                    options_.time > 0 ? "for " + duration(options_.time) : "until it is stopped"));
    if (const std::string text = too_short(); !text.empty()) say(text);
    recover();
    loop();
    return finish();
  } catch (const Failure& f) {
    if (folder_.there()) log_.keep(fmt::format("run {} is broken off: {}", run_.id, f.what()));
    stop_without_index();
    throw;
  }
}

// Processes end between two cases; what they counted is in their files, and the next run adds it.
void Supervisor::stop_without_index() {
  for (const auto& job : jobs_) job->child.signal(job->kind == JobKind::fuzz ? SIGUSR1 : SIGKILL);
  const double until = clock_now() + kStopPatience;
  while (!jobs_.empty() && clock_now() < until) {
    std::erase_if(jobs_, [](const auto& job) { return job->child.ended([](const std::string&) {}).has_value(); });
    ::usleep(20000);
  }
  jobs_.clear();  // kills those that are left
}

bool Supervisor::asked_to_stop() { return g_stop != 0; }
void Supervisor::forget_stop() { g_stop = 0; }

bool Supervisor::over() const { return jobs_.empty() && (stop_ || (time_left() > 0 && usable() == 0)); }

void Supervisor::loop() {
  for (;;) {
    if (g_stop && !stop_) stop_all(g_stop == SIGINT ? "interrupted" : "ended by a signal");
    if (!stop_ && time_left() <= 0) stop_all("the time is up");
    if (!stop_) fill_slots();
    if (over()) return;
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
        ended(*done, *status);                              // may start another
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

// A job that hangs, or takes more than it may.
void Supervisor::watch(Job& job) {
  const double now = clock_now();
  if (job.stop_by > 0 && now > job.stop_by) return job.child.signal(SIGKILL);
  if (job.stop_by == 0 && job.kind != JobKind::fuzz && budget_.overdrawn(chores_running()))
    ask_to_stop(job, "chores have had their share of this run's time");
  if (now > job.limit) {
    if (job.stop_by == 0)
      say(fmt::format("{}: a process does not end in its time and is killed", targets_[job.target].name));
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
    if (job.memory > options_.memory_limit * 1024 * 8 / 10)
      ask_to_stop(job, fmt::format("it holds {} MB", job.memory / 1024));
    else if (options_.recycle > 0 && span > 10 && job.pace < job.best_pace / 20)
      ask_to_stop(job, fmt::format("it has become slow: {:.1f} executions/s, was {:.0f}", job.pace, job.best_pace));
    else if (merge_next(t, now) && now - job.started > 10 && job.turn.end - now > 60)
      ask_to_stop(job, "its corpus is merged");
    if (now - job.written >= 60) {
      job.written = now;
      store_counts(job);
      add_history(t);
    }
  }
  for (TargetState& t : targets_) {
    restore_folders(t);
    if (t.new_files && now - t.scanned > 1) scan(t);
  }
  if (now - last_report_ >= kReport) report_progress(now);
}

void Supervisor::report_progress(double now) {
  last_report_ = now;
  std::uint64_t executions = 0;
  for (const TargetRow& r : index_.targets()) executions += r.executions;
  say(fmt::format("supervisor: memory {} kB, {} executions, {} keys, {} processes", memory_kb(::getpid()), executions,
                  index_.findings().size(), jobs_.size()));
  for (const auto& job : jobs_)
    if (job->kind == JobKind::fuzz && now - job->started > kReport - 1)
      say(fmt::format("{}: {} s, {:.0f}/s, cov {} ft {} corpus {}, memory {} kB", targets_[job->target].name,
                      static_cast<int>(now - job->started), job->rate, job->status.edges, job->status.features,
                      job->status.corpus, job->memory));
}

void Supervisor::stop_all(const std::string& why) {
  stop_ = true;
  say(why + ": stopping");
  for (const auto& job : jobs_) ask_to_stop(*job, why);
}

}  // namespace warpfuzz::cli
