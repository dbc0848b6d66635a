#include "engine/store/fresh_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "base/process/self.h"
#include "base/text/counted.h"
#include "protocol/target_client.h"

namespace warpfuzz {
namespace {

// A process that died before it read its request must not end this one.
class IgnoredBrokenPipes {
 public:
  IgnoredBrokenPipes() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before_);
  }
  ~IgnoredBrokenPipes() { ::sigaction(SIGPIPE, &before_, nullptr); }
  IgnoredBrokenPipes(const IgnoredBrokenPipes&) = delete;
  IgnoredBrokenPipes& operator=(const IgnoredBrokenPipes&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace

LastWord last_word(std::size_t count, const std::function<Afresh(std::size_t)>& run) {
  const std::size_t last = count - 1;
  const Afresh simplest = run(last);
  if (simplest == Afresh::fails) return {last, ""};
  if (simplest == Afresh::unknown) return {last, "not run in a fresh process"};
  if (last == 0 || run(0) != Afresh::fails)
    return {0, "depends on what ran before: alone in a fresh process this case does not fail in this way", true};
  std::size_t fails = 0, passes = last;
  while (passes - fails > 1) {
    const std::size_t middle = fails + (passes - fails) / 2;
    (run(middle) == Afresh::fails ? fails : passes) = middle;
  }
  return {fails, fmt::format("shrunk by {} of {}: what came of the others failed only after other cases", fails,
                             counted(last, "step"))};
}

FreshRuns::FreshRuns(FaultClass fault, std::string folder, double seconds)
    : fault_(fault),
      file_(fmt::format("{}/.fresh-{}", folder, ::getpid())),
      kept_file_(file_),
      end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<long long>(seconds * 1000))) {}

Afresh FreshRuns::run(const Bytes& bytes) {
  const double left = std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
  if (left <= 0) {
    trouble_ = "the time was up";
    return Afresh::unknown;
  }
  const IgnoredBrokenPipes ignored;
  TargetClient process(kThisProgram);
  const Reply<RunResult> reply = process.ask(RunRequest{bytes, file_}, left);
  Result<Finding> saved = read_wfz(file_);
  ::unlink(file_.c_str());
  if (!reply.error.empty()) {
    trouble_ = reply.error;
    return Afresh::unknown;
  }
  const FaultClass fault = reply.died ? reply.died->fault : reply.answer.fault;
  if (fault != fault_) return Afresh::passes;
  finding_.reset();
  if (saved) finding_ = *std::move(saved);
  return Afresh::fails;
}

}  // namespace warpfuzz
