// What the screen shows, taken from what the supervisor knows.
#include <fmt/format.h>

#include <algorithm>

#include "campaign/supervisor.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {

const char* chore_name(JobKind kind) {
  switch (kind) {
    case JobKind::fuzz: return "fuzzing";
    case JobKind::merge: return "merging";
    case JobKind::shrink: return "shrinking";
    case JobKind::errors: return "measuring errors";
  }
  return "";
}

Screen Supervisor::screen() const {
  Screen s;
  s.now = clock_now();
  s.head = fmt::format("warpfuzz run, {}{}, {} worker{}, seed {}, log {}", duration(elapsed()),
                       options_.time > 0 ? " of " + duration(options_.time) : "", options_.workers,
                       options_.workers == 1 ? "" : "s", options_.seed, as_typed(folder_.state("log")));
  for (const auto& job : jobs_)
    s.workers.push_back({targets_[job->target].name,
                         job->stop_by > 0             ? "stopping: " + job->why
                         : job->kind == JobKind::fuzz ? "fuzzing"
                                                      : job->doing,
                         s.now - (job->kind == JobKind::fuzz ? job->turn.started : job->started),
                         job->kind == JobKind::fuzz ? job->rate : 0});
  s.idle =
      stop_ && jobs_.empty() ? 0 : std::max(0, options_.workers - static_cast<int>(jobs_.size()));  // 0: the last table
  if (s.idle) s.why_idle = why_idle();
  s.chore_seconds = budget_.spent() + chores_running();
  s.worker_seconds = elapsed() * options_.workers;
  for (const TargetState& t : targets_) {
    ViewRow r;
    r.target = t.row;
    r.findings = t.findings;
    for (const auto& job : jobs_) {
      if (&targets_[job->target] != &t) continue;
      if (job->kind == JobKind::fuzz)
        ++r.workers, r.rate += job->rate, r.target.executions += job->counts.executions - job->counted;
      else r.doing = chore_name(job->kind);
    }
    for (const FindingRow& f : t.findings)
      if (!f.kept && f.first_seen >= s.newest_time)
        s.newest_time = f.first_seen, s.newest_key = f.key, s.newest_file = f.path.empty() ? "" : as_typed(file_of(f));
    s.rows.push_back(std::move(r));
  }
  return s;
}

void Supervisor::draw() {
  last_draw_ = clock_now();
  if (view_.on()) view_.draw(screen());
}

}  // namespace warpfuzz::cli
