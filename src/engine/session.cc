// One case after another, under watch, and how the process ends: by a fault, by exit() or abort() in a launcher, by a signal.
#include "engine/session.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/shell_text.h"
#include "exec/case_witness.h"
#include "exec/device_builds.h"
#include "pipeline/tally.h"
#include "process/death/die.h"
#include "process/death/early_end.h"
#include "process/death/hang.h"
#include "process/death/interrupt.h"
#include "process/death/target_fault.h"
#include "process/say.h"
#include "process/screen.h"
#include "process/service_build.h"
#include "schema/target_code.h"

namespace warpfuzz {
namespace {

// Lines that libFuzzer's parent of -fork reads in the log of a process; libFuzzer's own go elsewhere when a process dies.
std::string final_statistics(std::uint64_t executions, std::chrono::duration<double> time) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format(
      "stat::number_of_executed_units: {}\nstat::average_exec_per_sec:     {:.0f}\nstat::peak_rss_mb:              {}\n",
      executions, static_cast<double>(executions) / std::max(1.0, time.count()), usage.ru_maxrss >> 10);
}

}  // namespace

std::string run_command(const std::string& file) {
  return fmt::format("{} {}", program_path(), file.empty() ? "FILE" : shell_word(file));
}

Session::Session(const Target& target, Backend& backend, const Options& options, const Invocation& invocation)
    : target_(target), backend_(backend), options_(options), invocation_(invocation) {
  choose_device(backend_, options.gpu, options.hang_seconds);
  set_death_hook(backend_, DeathHook::to<&Session::on_sanitizer_error>(*this));
}

Session::~Session() {
  set_death_hook(backend_, {});
  set_early_end_handler({});
  set_case_keeper({});
}

void Session::watch_process() {
  set_early_end_handler(EarlyEndHandler::to<&Session::on_early_end>(*this));
  set_case_keeper(CaseKeeper::to<&Session::keep_case>(*this));
  watch_target_code();
  if (!timed()) return;
  const CaseLimits limits{.processor = options_.hang_seconds,
                          .total = backend_.in_process() ? std::max(0, invocation_.timeout) : 0};
  watchdog_ = std::make_unique<Watchdog>(limits, Watchdog::Handler::to<&Session::on_hang>(*this));
}

int Session::test_one(std::span<const std::uint8_t> bytes) {
  if (!started_) {
    started_ = true;
    watch_process();
    start();
  }
  if (interrupted()) end_interrupted();
  const int code = run(bytes);
  if (watchdog_) watchdog_->end();
  if (interrupted()) end_interrupted();
  return code;
}

CaseResult Session::run_watched(std::span<const std::uint8_t> bytes, const RunSettings& settings) {
  current_.assign(bytes.begin(), bytes.end());
  in_case_ = true;
  if (watchdog_) watchdog_->begin();
  CaseResult r = run_case(target_, backend_, bytes, settings);
  in_case_ = false;
  if (watchdog_) watchdog_->begin();  // what is made of the result, shrinking above all, has time of its own
  return r;
}

void Session::on_fatal(const ExecStatus& status, bool sanitizer_first) {
  if (!dying_.exchange(true)) report_fatal(status, sanitizer_first);
}

void Session::on_hang(void* pc, Overrun overrun) {
  on_fatal(hang_status(backend_, pc, overrun), false);
  before_engine_dies();
  die(FaultClass::hang);
}

void Session::on_sanitizer_error(const ExecStatus& status) {
  const bool first = !kServiceBuild && sanitizer_first(status);
  on_fatal(status, first);
  if (!first) before_engine_dies();
}

void Session::say_last(const std::string& text, const std::string& key, bool sanitizer_first) const {
  const std::string token = fmt::format("DEDUP_TOKEN: {}\n", key);
  if (sanitizer_first && print_after_sanitizer(text + last_statistics() + token)) return;
  print(text + token);
}

void Session::leave_nothing_open() {
  dying_ = true;
  close_files();
  if (before_death) before_death();
}

void Session::die_by(FaultClass fault) {
  leave_nothing_open();
  before_engine_dies();
  die(fault);
}

void Session::before_engine_dies() {
  if (!kServiceBuild) hide_engine(last_statistics());
}

std::string Session::last_statistics() const {
  if (!invocation_.final_stats) return "";
  return final_statistics(executions(), std::chrono::steady_clock::now() - begun_);
}

std::string Session::keep_case() {
  const std::string path = in_case_ ? keep_raw(current_) : "";
  in_case_ = false;
  leave_nothing_open();
  return path;
}

void Session::on_interrupt(const char* signal) {
  // A finding that is being reported ends the process by itself, with its own exit code.
  for (int i = 0; i < 50 && dying_; ++i) usleep(100'000);
  print(fmt::format("warpfuzz: interrupted by {}\n", signal));
  on_interrupted();
  if (before_death) before_death();
}

bool Session::on_early_end(const char* how) {
  blame_target_code(fmt::format("called {}", how));
  if (!in_case_ || dying_) return false;
  in_case_ = false;
  const ExecStatus* status = running_case(backend_);
  if (status && status->fault == FaultClass::unsupported) {
    // A launcher that checks for errors ends the process where the executor refused a call.
    CaseResult refused;
    refused.fault = status->fault;
    refused.place = status->place;
    refused.message = status->message;
    dying_ = true;
    on_refused_end(unsupported_construct(refused), how);
    leave_nothing_open();
    std::_Exit(kExitUnsupported);
  }
  if (status && status->fault != FaultClass::none) {
    ExecStatus fault = *status;
    fault.message += fmt::format(" (the launcher then ended the process with {})", how);
    on_fatal(fault, false);
    return true;
  }
  print(fmt::format(
      "warpfuzz: target error: the {} called {} in the middle of a case, with no fault of the kernel on record; the "
      "case is kept with libFuzzer's artifact\n",
      status ? "launcher" : "reference", how));
  return false;
}

}  // namespace warpfuzz
