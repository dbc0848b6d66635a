#include "client/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/exit_codes.h"

namespace warpfuzz::cli {
namespace {

// Small, so that a few hundred cases still keep many workers busy.
constexpr std::uint64_t kPortion = 25;
constexpr double kPortionSeconds = 900;
constexpr std::size_t kMostDeaths = 100;

struct Portion {
  std::uint64_t first, count;
};
struct Death {
  std::string key, message;
};

// Hands portions to workers and keeps what they bring, by the number of the first case.
class Board {
 public:
  explicit Board(std::uint64_t cases) {
    for (std::uint64_t i = 0; i < cases; i += kPortion) open_.push_back({i, std::min(kPortion, cases - i)});
  }
  bool take(Portion& p) {
    const std::lock_guard lock(mutex_);
    if (open_.empty() || error_) return false;
    p = open_.front();
    open_.pop_front();
    return true;
  }
  void done(const Portion& p, CalibrationResult answer) {
    const std::lock_guard lock(mutex_);
    answers_[p.first] = std::move(answer);
  }
  // The case number `at` (from 1) of the portion ended the process.
  void died(const Portion& p, std::uint64_t at, Death d) {
    const std::lock_guard lock(mutex_);
    at = std::clamp<std::uint64_t>(at, 1, p.count);
    deaths_[p.first + at - 1] = std::move(d);
    if (deaths_.size() > kMostDeaths)
      throw Failure(kExitTargetError,
                    fmt::format("more than {} cases ended the target's process, the first with {}: {}", kMostDeaths,
                                deaths_.begin()->second.key, deaths_.begin()->second.message));
    if (at > 1) open_.push_front({p.first, at - 1});
    if (at < p.count) open_.push_front({p.first + at, p.count - at});
  }
  void fail(std::exception_ptr e) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(e);
  }

  Swept finish() {
    if (error_) std::rethrow_exception(error_);
    Swept out;
    for (const auto& [first, d] : deaths_) {
      ++out.keys[d.key], ++out.executions, ++out.failed;
      if (out.first_death.empty()) out.first_death = d.message;
    }
    for (auto& [first, answer] : answers_) add(out, answer);
    return out;
  }

 private:
  static void add(Swept& out, CalibrationResult& answer) {
    merge(answer.stats.records, out.records);
    for (const Labelled<ErrorStats>& l : answer.stats.records) out.failed += l.record.counts.failed;
    out.executions += answer.stats.executions;
    for (const auto& [key, n] : answer.stats.keys) out.keys[key] += n;
    if (answer.worst && (!out.worst || answer.worst->ratio > out.worst->ratio)) out.worst = std::move(answer.worst);
    out.row = std::move(answer.row);
    out.evidence = std::move(answer.evidence);
  }

  std::mutex mutex_;
  std::deque<Portion> open_;
  std::map<std::uint64_t, CalibrationResult> answers_;
  std::map<std::uint64_t, Death> deaths_;
  std::exception_ptr error_;
};

}  // namespace

void on_threads(int jobs, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
}

PortionReply of_stats(Reply<WholeStats> reply) {
  PortionReply out{{}, std::move(reply.died), std::move(reply.error), reply.exit_code};
  out.answer.stats = std::move(reply.answer);
  return out;
}

Swept sweep(const Context& c, const std::string& target, std::uint64_t cases, int jobs,
            const std::function<PortionReply(TargetClient&, std::uint64_t, std::uint64_t, double)>& ask) {
  const std::string binary = target_binary(c, target);
  Board board(cases);
  const auto work = [&] {
    try {
      TargetClient client(binary);
      for (Portion p{}; board.take(p);) {
        PortionReply r = ask(client, p.first, p.count, c.limit(kPortionSeconds));
        if (!r.error.empty()) throw Failure(r.exit_code, r.error);
        if (r.died) board.died(p, r.died->executions.value_or(0), {r.died->key, r.died->message});
        else board.done(p, std::move(r.answer));
      }
    } catch (...) { board.fail(std::current_exception()); }
  };
  on_threads(jobs, work);
  return board.finish();
}

}  // namespace warpfuzz::cli
