// Every kernel of the build's lists, judged by every rival oracle and by a campaign of ours.
#include "illusion/illusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/option_text.h"
#include "base/process/conversation.h"
#include "client/sweep.h"
#include "client/target_list.h"
#include "peers/peers.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kPeerSeconds = 600;

using Kernel = ListedTarget;
struct Job {
  Kernel kernel;
  std::string dtype;
  std::vector<IllusionRow> rows;
  std::vector<AlarmRow> alarms;
};

std::vector<Kernel> wanted_kernels(const Context& c, const IllusionOptions& o) {
  const std::vector<Kernel> all = listed_targets(c);
  if (all.empty())
    throw Failure(kExitNoTarget, fmt::format("'{}/targets.json' lists no correct kernel and no planted bug", c.bin));
  if (o.targets.empty()) return all;
  std::vector<Kernel> chosen;
  for (const std::string& given : o.targets) {
    const std::string name = plain_target(given);
    const auto at = std::find_if(all.begin(), all.end(), [&](const Kernel& k) { return k.name == name; });
    if (at == all.end())
      throw Failure(
          kExitUsage,
          fmt::format("illusion: '{}' is neither among the correct kernels nor among the planted bugs of the build",
                      given));
    chosen.push_back(*at);
  }
  return chosen;
}

std::vector<Job> jobs_of(const Context& c, const IllusionOptions& o) {
  std::vector<Job> jobs;
  std::set<std::string> known;
  for (const Kernel& kernel : wanted_kernels(c, o)) {
    TargetClient client(target_binary(c, kernel.name));
    const Description description = must(client.ask(DescribeRequest{}, c.limit(kQuickSeconds)));
    for (const std::string& dtype : description.dtypes) {
      known.insert(dtype);
      if (o.dtype.empty() || o.dtype == dtype) jobs.push_back({kernel, dtype, {}, {}});
    }
  }
  if (jobs.empty())
    throw Failure(kExitUsage, fmt::format("--dtype: expected one of {}, got '{}'", fmt::join(known, ", "), o.dtype));
  return jobs;
}

IllusionRow peer_row(const Context& c, TargetClient& client, const Job& job, const std::string& oracle,
                     std::uint64_t seed) {
  IllusionRow row{job.kernel.name, job.kernel.list, job.dtype, oracle, kFail, ""};
  const Reply<PeerResult> r = client.ask(PeerRequest{oracle, seed, job.dtype}, c.limit(kPeerSeconds));
  if (r.died) {
    row.detail = fmt::format("the process died of {}", r.died->key);  // what a check sees of it is an exception
    return row;
  }
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  row.verdict = names_of(r.answer.verdict).name(r.answer.verdict);
  row.detail = r.answer.detail;
  if (const std::uint64_t n = r.answer.narrowed.value_or(0))
    row.detail += fmt::format("{}{} shapes brought into the kernel's limits", row.detail.empty() ? "" : "; ", n);
  return row;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "warpfuzz-illusion-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw Failure(kExitCannotWrite, fmt::format("cannot make a folder '{}'", name));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The text between two marks, or "".
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return printable(text.substr(begin, text.find(after, begin) - begin), false);
}

// A real campaign from an empty corpus, which ends at its first finding.
IllusionRow our_row(const Context& c, const Job& job, const IllusionOptions& o) {
  const std::string binary = target_binary(c, job.kernel.name);
  const TemporaryFolder folder;
  fs::create_directory(folder.path() + "/corpus");
  Conversation process;
  const std::string error = process.start(
      {binary, fmt::format("-seed={}", o.seed), fmt::format("-runs={}", o.runs),
       fmt::format("-artifact_prefix={}/", folder.path()), "-verbosity=0", folder.path() + "/corpus"},
      {"WARPFUZZ_OPTIONS=" + join_options({{"dtype", job.dtype}, {"shrink", "off"}, {"crashes", folder.path()}})});
  if (!error.empty()) throw Failure(kExitNoTarget, error);
  const ExitStatus status = process.finish(in_seconds(c.timeout));
  const std::string& said = process.error_output();
  IllusionRow row{job.kernel.name, job.kernel.list, job.dtype, kOurs, kPass, ""};
  if (status.code == kExitOk) {
    row.executions = o.runs;
    row.detail = fmt::format("no finding in {} executions", o.runs);
    return row;
  }
  const std::string key = between(said, "DEDUP_TOKEN: ", "\n");
  if (status.code != kExitFinding || key.empty())
    throw Failure(
        kExitTargetError,
        fmt::format(
            "'{}' -seed={}: expected a finding or none, but the campaign ended with {}; run it to see why", binary,
            o.seed,
            status.signal ? fmt::format("signal {}", status.signal) : fmt::format("exit code {}", status.code)));
  row.verdict = kFail;
  row.executions = std::strtoull(between(said, ", execution ", "\n").c_str(), nullptr, 10);
  row.detail = fmt::format("{} at execution {}: {}", key, row.executions, between(said, " ERROR: ", "\n"));
  return row;
}

void run_job(const Context& c, const IllusionOptions& o, Job& job) {
  TargetClient client(target_binary(c, job.kernel.name));
  for (const PeerOracle& peer : peer_oracles())
    job.rows.push_back(peer_row(c, client, job, std::string(peer.name), o.seed));
  job.rows.push_back(our_row(c, job, o));
  if (job.kernel.list != "controls" || o.adversarial == 0) return;
  const Adversarial a = must(client.ask(AdversarialRequest{o.adversarial, o.seed, job.dtype}, c.timeout));
  for (const PeerAlarms& x : a.oracles)
    job.alarms.push_back({job.dtype, x.oracle, x.judged, x.flagged, x.flagged_finite});
  job.alarms.push_back({job.dtype, kOurs, a.judged, a.ours, a.ours});
}

// Each job once, on so many threads; the first failure ends the rest.
void run_jobs(const Context& c, const IllusionOptions& o, std::vector<Job>& jobs) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex lock;
  std::optional<Failure> failure;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) {
      try {
        run_job(c, o, jobs[i]);
        const std::lock_guard hold(lock);
        note(fmt::format("illusion: {} {}, {} of {}", jobs[i].kernel.name, jobs[i].dtype, ++done, jobs.size()));
      } catch (const Failure& f) {
        const std::lock_guard hold(lock);
        if (!failure) failure = f;
        next = jobs.size();
      }
    }
  };
  on_threads(o.jobs, work);
  if (failure) throw *failure;
}

}  // namespace

void IllusionCount::add(const IllusionRow& row) {
  if (row.verdict == kNoRule) return;
  int& judged = row.list == "controls" ? controls : row.list == "planted_bugs" ? planted : subtle;
  int& wrong = row.list == "controls"       ? controls_rejected
               : row.list == "planted_bugs" ? planted_certified
                                            : subtle_certified;
  ++judged;
  wrong += row.wrong();
}

IllusionCount Illusion::count(const std::string& oracle, const std::string& dtype) const {
  IllusionCount n;
  for (const IllusionRow& row : rows)
    if (row.oracle == oracle && (dtype.empty() || row.dtype == dtype)) n.add(row);
  return n;
}

bool Illusion::good() const {
  return std::none_of(rows.begin(), rows.end(), [](const IllusionRow& r) { return r.oracle == kOurs && r.wrong(); }) &&
         std::none_of(alarms.begin(), alarms.end(), [](const AlarmRow& a) { return a.oracle == kOurs && a.flagged; });
}

Illusion measure_illusion(const Context& c, const IllusionOptions& o) {
  std::vector<Job> jobs = jobs_of(c, o);
  run_jobs(c, o, jobs);
  Illusion result{o, {}, {}, {}};
  for (Job& job : jobs) {
    if (std::find(result.dtypes.begin(), result.dtypes.end(), job.dtype) == result.dtypes.end())
      result.dtypes.push_back(job.dtype);
    std::move(job.rows.begin(), job.rows.end(), std::back_inserter(result.rows));
    for (const AlarmRow& a : job.alarms) {
      const auto at = std::find_if(result.alarms.begin(), result.alarms.end(),
                                   [&](const AlarmRow& x) { return x.dtype == a.dtype && x.oracle == a.oracle; });
      if (at == result.alarms.end()) result.alarms.push_back(a);
      else at->add(a);
    }
  }
  return result;
}

}  // namespace warpfuzz::cli
