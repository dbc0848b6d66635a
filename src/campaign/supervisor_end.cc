// The end of a run: its exit code, what is new, what was left undone, with the commands that do it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"

#include "base/exit_codes.h"
#include "base/process/usage.h"
#include "base/text/counted.h"
#include "campaign/supervisor.h"
#include "client/lines_reached.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {
namespace {

constexpr std::size_t kMostCommands = 10;  // of a kind
// Of asking targets for the lines that they reached, in seconds.
constexpr double kMostEach = 5, kLeastEach = 0.2, kLeastAll = 5;

std::uint64_t of_this_run(const std::vector<TargetState>& targets) {
  std::uint64_t n = 0;
  for (const TargetState& t : targets) n += t.executions;
  return n;
}

template <class Test>
std::vector<std::string> names_of(const std::vector<TargetState>& targets, Test test) {
  std::vector<std::string> names;
  for (const TargetState& t : targets)
    if (test(t)) names.push_back(t.name);
  return names;
}

}  // namespace

int Supervisor::exit_code() const {
  if (!cannot_write_.empty()) return kExitCannotWrite;
  if (run_.new_keys) return kExitFinding;
  const bool broken =
      std::any_of(targets_.begin(), targets_.end(), [](const TargetState& t) { return !t.row.problem.empty(); });
  if (broken) return kExitTargetError;
  return of_this_run(targets_) ? kExitOk : kExitNothingRun;
}

// One target after the other, within the share of the run's time that chores may have, but some seconds at least.
void Supervisor::measure_lines() {
  std::vector<TargetState*> due;
  for (TargetState& t : targets_)
    if (t.executions > 0 && t.row.problem.empty()) due.push_back(&t);
  if (options_.chores <= 0 || due.empty() || !cannot_write_.empty()) return;
  forget_stop();
  const double begin = clock_now(), all = std::max(kLeastAll, options_.chores / 100.0 * elapsed() * options_.workers);
  std::size_t done = 0;
  for (; done < due.size() && !asked_to_stop(); ++done) {
    TargetState& t = *due[done];
    const double left = all - (clock_now() - begin);
    if (left <= 0) break;
    std::vector<std::string> paths;
    std::error_code ec;
    for (const std::string& folder : {t.seeds, folder_.corpus(t.name)}) {
      if (folder.empty()) continue;
      for (const StoredFile& f : files_in(folder)) paths.push_back(std::filesystem::absolute(f.path, ec).string());
    }
    // By their names, which are hashes: where time runs out, those that were run are a fair sample.
    std::sort(paths.begin(), paths.end());
    const double seconds = std::clamp(left / static_cast<double>(due.size() - done), kLeastEach, kMostEach);
    const std::string lines = cli::measure_lines(t.binary, std::move(paths), seconds);
    if (asked_to_stop()) break;  // the signal may have ended the target too
    t.row.lines = lines;
    index_.save(t.row);
  }
  say(fmt::format("lines reached: {} of {} targets asked, {:.1f} s", done, due.size(), clock_now() - begin));
}

int Supervisor::finish() {
  for (TargetState& t : targets_) scan(t), prune(t);
  measure_lines();
  run_.new_keys = index_.untold();
  run_.ended = clock_now();
  run_.memory_kb = memory_kb(::getpid());
  run_.exit_code = exit_code();
  std::vector<FindingRow> fresh = index_.findings();
  std::erase_if(fresh, [](const FindingRow& f) { return f.told; });
  view_.clear();
  if (view_.on()) log_.show();  // the last lines and the last table stay
  say_end(fresh);
  index_.end_run(run_);
  draw();
  if (context_.json) print_json(summary(fresh));
  return run_.exit_code;
}

void Supervisor::say_end(const std::vector<FindingRow>& fresh) {
  std::uint64_t executions = 0;
  for (const TargetState& t : targets_) executions += t.row.executions;
  say(fmt::format("run {} ends: {}, {} so far, {}, exit code {}", run_.id, counted(of_this_run(targets_), "execution"),
                  executions, counted(run_.new_keys, "new key"), run_.exit_code));
  if (!cannot_write_.empty())
    say(fmt::format(
        "broken off: {}; free some space or choose another --folder, then run it again: what was counted and saved so far is kept",
        cannot_write_));
  if (run_.exit_code == kExitNothingRun) say("no case was executed: give it more --time");
  const std::vector<std::string> not_run = names_of(targets_, [](const TargetState& t) { return !t.had_turn; });
  if (!not_run.empty())
    say(fmt::format("no turn for {} of {}, more --time or --workers reaches them: {}", not_run.size(),
                    counted(targets_.size(), "target"), fmt::join(not_run, " ")));
  for (const TargetState& t : targets_)
    if (!t.row.problem.empty()) say(fmt::format("not run: {}: {}", t.name, t.row.problem));
  for (const FindingRow& f : fresh) {
    const nlohmann::json attributes = nlohmann::json::parse(f.attributes, nullptr, false);
    std::string bytes, ignored;
    Fields(attributes, "", ignored).text("case bytes", bytes);
    std::string where = f.path.empty() ? "no file of it is on disk" : as_typed(file_of(f));
    if (f.path.empty() && !bytes.empty())
      where = fmt::format("{}; its file could not be written, its case is: {}", f.message, bytes);
    say(fmt::format("new: {} ({}): {}{}", f.key, counted(f.count, "time"),
                    f.summary.empty() ? "" : f.summary + (f.path.empty() ? ": " : " -> "), where));
  }
  std::size_t shown = 0;
  for (const FindingRow& f : fresh)
    if (!f.path.empty() && shown++ < kMostCommands)
      say("show it: " + printed_command(context_, {"show", as_typed(file_of(f))}));
  say_chores();
}

void Supervisor::say_chores() {
  std::vector<std::string> done;
  for (const auto& [kind, d] : chores_done_)
    done.push_back(
        fmt::format("{} {} time{}, {:.0f} s", chore_name(kind), d.number, d.number == 1 ? "" : "s", d.seconds));
  const double all = elapsed() * options_.workers;
  if (!done.empty())
    say(fmt::format("chores: {:.0f} s of the workers' {:.0f} s ({:.0f} %): {}", budget_.spent(), all,
                    100 * budget_.spent() / std::max(1.0, all), fmt::join(done, "; ")));
  const std::vector<FindingRow> large = to_shrink();
  if (!large.empty())
    say(fmt::format("left undone: {} finding{} not shrunk", large.size(), large.size() == 1 ? " is" : "s are"));
  for (std::size_t i = 0; i < std::min(large.size(), kMostCommands); ++i)
    say("shrink it: " + printed_command(context_, {"shrink", as_typed(file_of(large[i]))}));
  const double now = clock_now();
  const auto merges =
      names_of(targets_, [&](const TargetState& t) { return t.row.problem.empty() && merge_due(t, now); });
  if (!merges.empty()) say(fmt::format("left undone, a later run does it: merges of {}", fmt::join(merges, " ")));
  const auto errors = names_of(targets_, [](const TargetState& t) { return t.row.problem.empty() && t.errors_due; });
  if (!errors.empty())
    say(fmt::format("left undone, a later run does it: error records of {}", fmt::join(errors, " ")));
}

nlohmann::json Supervisor::summary(const std::vector<FindingRow>& fresh) {
  nlohmann::json list = nlohmann::json::array(), problems = nlohmann::json::object(),
                 not_shrunk = nlohmann::json::array();
  for (const FindingRow& f : index_.findings())
    list.push_back(
        {{"key", f.key},
         {"target", f.target},
         {"count", f.count},
         {"file", f.path},
         {"elements", f.elements},
         {"kept", f.kept},
         {"new", std::any_of(fresh.begin(), fresh.end(), [&](const FindingRow& n) { return n.key == f.key; })}});
  for (const TargetState& t : targets_)
    if (!t.row.problem.empty()) problems[t.name] = t.row.problem;
  for (const FindingRow& f : to_shrink()) not_shrunk.push_back(f.path);
  std::uint64_t executions = 0;
  for (const TargetState& t : targets_) executions += t.row.executions;
  return {{"run", run_.id},
          {"executions", executions},
          {"executed", of_this_run(targets_)},
          {"new_keys", run_.new_keys},
          {"findings", list},
          {"not_run", names_of(targets_, [](const TargetState& t) { return !t.had_turn; })},
          {"problems", problems},
          {"not_shrunk", not_shrunk},
          {"chore_seconds", budget_.spent()},
          {"seed", options_.seed}};
}

}  // namespace warpfuzz::cli
