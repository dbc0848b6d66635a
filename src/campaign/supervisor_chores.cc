// Merges, shrinking from outside, and error records: processes that keep a campaign in order.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "campaign/supervisor.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kMergeSeconds = 3600, kShrinkSeconds = 30, kErrorSeconds = 900, kOverLimitSeconds = 300;
constexpr double kLeastShrink = 3, kStart = 1;  // a chore's processes start, read files, end
constexpr std::size_t kErrorCases = 100;

// A request as a line. The answer repeats the id, which says where the cases are from.
std::string request_line(const StatsRequest& q, const char* id) {
  json j = to_message(q);
  j["id"] = id;
  return j.dump() + "\n";
}

// Executions a second of a target, as far as it has been seen.
double rate_of(const TargetState& t) {
  if (t.seconds > 1 && t.executions > 0) return static_cast<double>(t.executions) / t.seconds;
  if (t.row.seconds > 1 && t.row.executions > 0) return static_cast<double>(t.row.executions) / t.row.seconds;
  return 50;
}

}  // namespace

bool Supervisor::merge_due(const TargetState& t, double now) const {
  if (options_.merge_every <= 0 || t.row.corpus < 2) return false;
  const double since = now - (t.row.last_merge > 0 ? t.row.last_merge : t.row.first_started);
  const std::uint64_t grown = t.row.corpus - std::min(t.row.corpus, t.corpus_at_merge);
  if (since > options_.merge_every && grown >= std::max<std::uint64_t>(5, t.corpus_at_merge / 20)) return true;
  return t.row.corpus_bytes > options_.corpus_limit << 20 && since > std::min(kOverLimitSeconds, options_.merge_every);
}

double Supervisor::merge_seconds(const TargetState& t) const {
  return kStart + 1.5 * static_cast<double>(t.row.corpus) / rate_of(t);
}

// Records take the reference's statistics as well: some three times what a case takes.
double Supervisor::errors_seconds(const TargetState& t) const {
  return t.errors_seconds > 0 ? t.errors_seconds : kStart + 3.0 * 2 * static_cast<double>(kErrorCases) / rate_of(t);
}

bool Supervisor::room_for(double seconds) const { return seconds < time_left() && budget_.fits(elapsed(), seconds); }

bool Supervisor::merge_next(const TargetState& t, double now) const {
  return merge_due(t, now) && room_for(merge_seconds(t));
}

double Supervisor::chores_running() const {
  double sum = 0;
  for (const auto& job : jobs_)
    if (job->kind != JobKind::fuzz) sum += clock_now() - job->started;
  return sum;
}

bool Supervisor::launch_chore(std::unique_ptr<Job> job, const ProcessCommand& command) {
  say(fmt::format("{}: {}", targets_[job->target].name, job->doing));
  budget_.begin(job->expected);
  return launch(std::move(job), command);
}

// The steps are those of campaign_folder.cc. Nothing else works on the target meanwhile.
bool Supervisor::start_merge(std::size_t target) {
  TargetState& t = targets_[target];
  auto job = std::make_unique<Job>();
  job->kind = JobKind::merge;
  job->target = target;
  job->started = clock_now();
  job->limit = job->started + kMergeSeconds;
  job->expected = merge_seconds(t);
  job->before = files_in(folder_.corpus(t.name));
  job->doing = fmt::format("merging {} inputs", job->before.size());
  const std::string into = folder_.merge_folder(t.name), control = folder_.state("merge-" + t.name);
  std::error_code ec;
  fs::remove_all(into, ec);
  fs::create_directories(into, ec);
  if (ec)
    throw Failure(kExitCannotWrite,
                  fmt::format("cannot create the folder '{}': {}", printable(into, false), ec.message()));
  fs::remove(control, ec);  // of a merge that was cut off: libFuzzer would go on with it, on other inputs
  ProcessCommand c;
  c.argv = {t.binary,
            "-merge=1",
            "-merge_control_file=" + control,
            fmt::format("-rss_limit_mb={}", options_.memory_limit),
            into,
            folder_.corpus(t.name)};
  if (!t.seeds.empty()) c.argv.push_back(t.seeds);
  c.environment = {"WARPFUZZ_OPTIONS=known=continue:shrink=off:inflight=off"};
  t.busy = true;
  return launch_chore(std::move(job), c);
}

void Supervisor::merge_ended(Job& job, const ExitStatus& status) {
  TargetState& t = targets_[job.target];
  t.busy = false;
  std::error_code ec;
  fs::remove(folder_.state("merge-" + t.name), ec);
  const std::size_t merged = files_in(folder_.merge_folder(t.name)).size();
  const double now = clock_now();
  if (status.code == kExitOk && merged > 0) {
    folder_.replace_corpus(t.name, job.before);
    t.row.edges = job.status.edges ? job.status.edges : t.row.edges;
    t.row.features = job.status.features ? job.status.features : t.row.features;
    const std::size_t removed = folder_.shorten_corpus(t.name, options_.corpus_limit << 20);
    say(fmt::format(
        "{}: merged, {} -> {} inputs in {:.0f} s, cov {} ft {}{}", t.name, job.before.size(), merged, now - job.started,
        t.row.edges, t.row.features,
        removed ? fmt::format("; {} of the oldest removed, beyond {} MiB", removed, options_.corpus_limit) : ""));
    t.errors_due = true;
  } else {
    fs::remove_all(folder_.merge_folder(t.name), ec);
    if (stopping()) return;
    say(fmt::format("{}: a merge {} after {:.0f} s ({} inputs of {}), the corpus stays as it is", t.name,
                    job.stop_by > 0 ? "was cut off, " + job.why + "," : "failed", now - job.started, merged,
                    job.before.size()));
  }
  measure_corpus(t);
  t.corpus_at_merge = t.row.corpus;
  t.row.last_merge = now;
  index_.save(t.row);
  add_history(t);
}

std::vector<FindingRow> Supervisor::to_shrink() {
  std::vector<FindingRow> rows = index_.to_shrink();
  std::erase_if(rows, [&](const FindingRow& f) {
    return std::none_of(targets_.begin(), targets_.end(), [&](const TargetState& t) { return t.name == f.target; }) ||
           ::access(file_of(f).c_str(), R_OK) != 0;
  });
  return rows;
}

// As long as the budget has room for, up to half a minute.
bool Supervisor::start_shrink() {
  const double seconds = std::floor(std::min({kShrinkSeconds, budget_.left(elapsed()) - kStart, time_left() - kStart}));
  if (seconds < kLeastShrink) return false;
  for (const FindingRow& f : to_shrink()) {
    if (!tried_to_shrink_.insert(f.key).second) continue;
    auto job = std::make_unique<Job>();
    job->kind = JobKind::shrink;
    job->target = static_cast<std::size_t>(
        std::find_if(targets_.begin(), targets_.end(), [&](const TargetState& t) { return t.name == f.target; }) -
        targets_.begin());
    job->started = clock_now();
    job->limit = job->started + 10 * seconds;
    job->granted = seconds, job->expected = seconds + kStart;
    job->key = f.key, job->file = file_of(f);
    job->doing = fmt::format("shrinking {}, {:.0f} s at most", as_typed(job->file), seconds);
    ProcessCommand c;
    c.argv = {own_folder() + "/warpfuzz",    "--bin", context_.bin, "shrink", job->file, "--seconds",
              fmt::format("{:.0f}", seconds)};
    return launch_chore(std::move(job), c);
  }
  return false;
}

void Supervisor::shrink_ended(Job& job, const ExitStatus& status) {
  TargetState& t = targets_[job.target];
  if (job.stop_by > 0) {  // again next time
    if (!stopping()) say(fmt::format("{}: shrinking was cut off, {}", t.name, job.why));
    return;
  }
  const double took = clock_now() - job.started;
  // A shrink that the clock ended before its usual half a minute goes on in a later run.
  index_.set_shrunk(job.key, job.granted >= kShrinkSeconds || took < job.granted);
  if (status.code == kExitOk)
    say(fmt::format("{}: {} is smaller now, after {:.0f} s", t.name, as_typed(job.file), took));
  else if (status.code == kExitNotSmaller)
    say(fmt::format("{}: {} does not get smaller, after {:.0f} s", t.name, as_typed(job.file), took));
  else
    say(fmt::format("{}: {} could not be shrunk: exit code {}, {}", t.name, as_typed(job.file), status.code,
                    printable(job.child.tail().substr(0, 200), false)));
  scan(t);
}

// One process of the target answers two requests of the line protocol, read from a file.
bool Supervisor::start_errors(std::size_t target) {
  TargetState& t = targets_[target];
  t.errors_due = false;
  std::vector<StoredFile> files = files_in(folder_.corpus(t.name));
  std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; });
  std::vector<std::string> paths;
  std::error_code ec;
  for (std::size_t i = 0; i < files.size() && paths.size() < kErrorCases;
       i += std::max<std::size_t>(1, files.size() / kErrorCases))
    paths.push_back(fs::absolute(files[i].path, ec).string());
  std::string text;
  if (!paths.empty()) text += request_line(StatsRequest{{}, {}, {}, {}, paths, true}, "corpus");
  text += request_line(StatsRequest{kErrorCases, 1, {}, {}, {}, true}, "random");
  const std::string request = folder_.state("errors-" + t.name + ".in");
  if (const std::string error = write_file(request, Bytes(text.begin(), text.end())); !error.empty())
    throw Failure(kExitCannotWrite, error);
  auto job = std::make_unique<Job>();
  job->kind = JobKind::errors;
  job->target = target;
  job->started = clock_now();
  job->limit = job->started + kErrorSeconds;
  job->expected = errors_seconds(t);
  job->doing = fmt::format("measuring errors of {} cases", paths.size() + kErrorCases);
  job->file = folder_.state("errors-" + t.name + ".out");
  const ProcessCommand c{
      {t.binary, "--warpfuzz-serve"}, {}, {Stream::Kind::file, request}, {Stream::Kind::file, job->file}};
  return launch_chore(std::move(job), c);
}

void Supervisor::errors_ended(Job& job, const ExitStatus&) {
  TargetState& t = targets_[job.target];
  t.errors_due = job.stop_by > 0;  // cut off: undone
  const Bytes bytes = read_file(job.file).value_or({});
  ::unlink(job.file.c_str());
  ::unlink(folder_.state("errors-" + t.name + ".in").c_str());
  const std::string all(bytes.begin(), bytes.end());
  for (std::size_t begin = 0, end; (end = all.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const Result<json> line = parse_json(std::string_view(all).substr(begin, end - begin), 16);
    if (!line) continue;
    if (Hello hello; read_message(*line, hello).empty()) t.row.op = hello.op;
    WholeStats stats;
    std::string id, error;
    if (!read_message(*line, stats).empty()) continue;
    Fields(*line, "", error).text("id", id);
    for (const Labelled<ErrorStats>& r : stats.records)
      index_.save(ErrorRow{t.name, t.row.op, id, r.dtype, r.fill, to_message(r).dump(), clock_now()});
  }
  if (job.stop_by == 0) t.errors_seconds = clock_now() - job.started;
  if (!stopping())
    say(fmt::format("{}: {} after {:.0f} s", t.name,
                    job.stop_by > 0 ? "error records were cut off, " + job.why + "," : "errors are measured,",
                    clock_now() - job.started));
  index_.save(
      t.row);  // a kernel whose cases end the process has no records of random ones: its findings say what is wrong
}

}  // namespace warpfuzz::cli
