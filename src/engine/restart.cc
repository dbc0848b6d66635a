#include "engine/restart.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/process/self.h"
#include "numeric/hash.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

constexpr const char* kVariable = "WARPFUZZ_CARRIED";  // the number of a descriptor: names an anonymous file

std::int64_t monotonic_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

json to_json(const Carried& c) {
  json tally, fatal = json::object();
  for_each_count(c.tally, [&](const char* name, const auto& n) { tally[name] = n; });
  for (const auto& [hash, key] : c.fatal) fatal[std::to_string(hash)] = key;
  return {{"tally", tally}, {"deaths", c.deaths}, {"in_vain", c.in_vain}, {"fatal", fatal}, {"known", c.known}};
}

Carried from_json(const json& j) {
  Carried c;
  for_each_count(c.tally, [&](const char* name, auto& n) { j.at("tally").at(name).get_to(n); });
  for (const auto& [hash, key] : j.at("fatal").items()) c.fatal[std::stoull(hash)] = key;
  j.at("deaths").get_to(c.deaths), j.at("in_vain").get_to(c.in_vain), j.at("known").get_to(c.known);
  return c;
}

std::string contents(int descriptor) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = ::pread(descriptor, part, sizeof part, static_cast<off_t>(text.size()))) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

Carried take_over() {
  const std::int64_t now = monotonic_now();
  Carried first;
  first.began = now;
  const char* text = std::getenv(kVariable);
  if (!text) return first;
  const int descriptor = std::atoi(text);
  ::unsetenv(kVariable);  // the processes that the engine starts are campaigns of their own
  const json j = json::parse(contents(descriptor), nullptr, false);
  try {
    Carried c = from_json(j);
    c.began = now;
    ::close(descriptor);
    return c;
  } catch (const std::exception&) {  // the variable was set by somebody else
    return first;
  }
}

std::optional<std::vector<std::string>> remaining_arguments(const Invocation& in, const Carried& state,
                                                            std::uint64_t executions) {
  std::vector<std::string> arguments;  // ours first: what stands behind -ignore_remaining_args is not libFuzzer's
  if (in.runs >= 0) {
    const std::int64_t left = in.runs - static_cast<std::int64_t>(executions);
    if (left <= 0) return std::nullopt;
    arguments.push_back(fmt::format("-runs={}", left));
  }
  if (in.max_total_time > 0) {
    const std::int64_t left = in.max_total_time - (monotonic_now() - state.began) / 1000000000;
    if (left <= 0) return std::nullopt;
    arguments.push_back(fmt::format("-max_total_time={}", left));
  }
  if (in.seed) arguments.push_back(fmt::format("-seed={}", 1 + mix64(in.seed) % 0xfffffffeu));
  for (const std::string& a : in.arguments)
    if (!a.starts_with("-runs=") && !a.starts_with("-max_total_time=") && !a.starts_with("-seed="))
      arguments.push_back(a);
  return arguments;
}

std::string begin_anew(const Invocation& in, const std::vector<std::string>& arguments, const Carried& state) {
  const std::string text = to_json(state).dump(-1, ' ', false, json::error_handler_t::replace);
  const int descriptor = ::memfd_create("warpfuzz-campaign", 0);
  if (descriptor < 0 || ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return fmt::format("cannot hand {} bytes to the next process: {}", text.size(), std::strerror(errno));
  std::vector<std::string> all{in.program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& a : all) argv.push_back(a.data());
  argv.push_back(nullptr);
  ::setenv(kVariable, std::to_string(descriptor).c_str(), 1);
  // What exec keeps: timers, which would end the new program before it has a handler, and the signals that are blocked here,
  // in a handler maybe.
  const itimerval off{};
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) ::setitimer(timer, &off, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(kThisProgram, argv.data());
  const std::string error = fmt::format("cannot begin anew: {}", std::strerror(errno));
  ::unsetenv(kVariable);
  ::close(descriptor);
  return error;
}

}  // namespace warpfuzz
