#include "client/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/exit_codes.h"
#include "findings/error_json.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

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

double ratio_of(const json& worst) {
  const auto at = worst.is_object() ? worst.find("ratio") : worst.end();
  if (!worst.is_object() || at == worst.end()) return -1;
  return at->is_number() ? at->get<double>() : std::numeric_limits<double>::infinity();
}

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
  void done(const Portion& p, json answer) {
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
  static void add(Swept& out, json& answer) {
    ErrorTable part;
    if (const std::string error = from_json(answer.value("records", json::array()), part); !error.empty())
      throw Failure(kExitNoTarget, fmt::format("the target broke the protocol: {}", error));
    out.records.merge(part);
    for (const auto& [key, stats] : part.records()) out.failed += stats.counts.failed;
    out.executions += static_cast<std::uint64_t>(number_of(answer, "executions"));
    const json keys = answer.value("keys", json::object());
    for (const auto& [key, n] : keys.items())
      if (n.is_number_unsigned()) out.keys[key] += n.get<std::uint64_t>();
    if (answer.contains("worst") && (out.worst.is_null() || ratio_of(answer["worst"]) > ratio_of(out.worst)))
      out.worst = std::move(answer["worst"]);
    answer.erase("records");
    out.answer = std::move(answer);
  }

  std::mutex mutex_;
  std::deque<Portion> open_;
  std::map<std::uint64_t, json> answers_;
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

Swept sweep(const Context& c, const std::string& target, const char* cmd, std::uint64_t cases, int jobs,
            const std::function<json(std::uint64_t, std::uint64_t)>& request) {
  const std::string binary = target_binary(c, target);
  Board board(cases);
  const auto work = [&] {
    try {
      TargetClient client(binary);
      for (Portion p{}; board.take(p);) {
        Reply r = client.ask(cmd, request(p.first, p.count), c.limit(kPortionSeconds));
        if (!r.error.empty()) throw Failure(r.exit_code, r.error);
        if (r.died)
          board.died(p, static_cast<std::uint64_t>(number_of(r.died->json, "executions")),
                     {r.died->key, r.died->message});
        else board.done(p, std::move(r.answer));
      }
    } catch (...) { board.fail(std::current_exception()); }
  };
  on_threads(jobs, work);
  return board.finish();
}

}  // namespace warpfuzz::cli
