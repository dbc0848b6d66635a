// The only file with libFuzzer's entry points: a thin adapter around a campaign or a replay.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/process/self.h"
#include "base/shell_text.h"
#include "engine/campaign.h"
#include "engine/flags.h"
#include "engine/replayer.h"
#include "engine/run_gpu_server.h"
#include "exec/device_builds.h"
#include "pipeline/load_case.h"
#include "pipeline/options.h"
#include "process/death/interrupt.h"
#include "process/sanitizer_defaults.h"
#include "process/service_build.h"
#include "service/service.h"

namespace warpfuzz {
namespace {

struct Process {
  Invocation invocation;
  Substitutes substitutes;
  std::unique_ptr<Session> session;
  Campaign* campaign = nullptr;  // that session; null in a replay
  std::vector<std::string> arguments;
  std::vector<char*> argv;
};
Process& process() {
  static Process* p = new Process;  // never destroyed: the death hook may run during exit
  return *p;
}

bool is_reproducer_or_text(const std::string& path) { return path.ends_with(".wfz") || path.ends_with(".case"); }

LoadedCase load_or_end(const Target& target, const std::string& path) {
  Result<LoadedCase> loaded = load_case(target, path);
  if (loaded) return *std::move(loaded);
  std::fprintf(stderr, "warpfuzz: %s\n", loaded.line().c_str());
  process().substitutes.remove();
  std::exit(loaded.error().exit_code);
}

// The arguments that name files and folders; they may be changed.
template <class Visit>
void for_each_input(Visit visit) {
  std::vector<std::string>& arguments = process().arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (!arguments[i].empty() && arguments[i][0] != '-') visit(arguments[i]);
}

// A replay keeps the names that the user gave: libFuzzer reads the files, and what it hands over is looked up.
void name_replayed_files(const Target& target, Replayer& replayer) {
  for_each_input([&](const std::string& path) {
    Result<Bytes> contents = read_file(path);
    const bool is_read = contents.ok();
    Bytes bytes = std::move(contents).value_or({});
    if (is_reproducer_or_text(path)) replayer.add_contents(path, std::move(bytes), load_or_end(target, path));
    else if (is_read) replayer.name(std::move(bytes), path);
  });
}

// .wfz and .case arguments become files of canonical bytes, so that -minimize_crash and -merge work.
void substitute_files(const Target& target) {
  for_each_input([&](std::string& path) {
    if (is_reproducer_or_text(path)) path = process().substitutes.add(path, load_or_end(target, path).bytes);
  });
}

// The engine starts its own processes through a shell and quotes nothing: a path that a shell would split gets another name.
void name_for_a_shell() {
  Process& p = process();
  if (kServiceBuild || !p.invocation.has_children) return;
  constexpr std::string_view kPrefix = "-artifact_prefix=";
  for (std::size_t i = 1; i < p.arguments.size(); ++i) {
    std::string& a = p.arguments[i];
    if (shell_word(a) == a) continue;
    if (a[0] != '-') {
      a = p.substitutes.link(a);
    } else if (a.starts_with(kPrefix)) {
      const std::filesystem::path prefix = a.substr(kPrefix.size());
      a = fmt::format("{}{}/{}", kPrefix, p.substitutes.link(prefix.parent_path().string()),
                      prefix.filename().string());
    } else if (const std::size_t equals = a.find('=');
               equals != std::string::npos) {  // a file or folder of another flag
      a = a.substr(0, equals + 1) + p.substitutes.link(a.substr(equals + 1));
    }
  }
}

// The same for the name of the program, which the engine holds to be what the process was started by: it is started again.
void begin_under_a_quoted_name() {
  Process& p = process();
  const std::string& name = p.arguments[0];
  const bool quoted = name.starts_with('\'') || name.starts_with("\"$(");
  if (kServiceBuild || !p.invocation.has_children || quoted || shell_word(name) == name) return;
  std::vector<std::string> arguments = p.arguments;
  arguments[0] = shell_word(name);
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  execv(kThisProgram, argv.data());
}

// A service's engine has flags of its own.
void check_arguments() {
  if (kServiceBuild) return;
  Process& p = process();
  const std::string error = p.invocation.help ? "" : check_flags({p.arguments.begin() + 1, p.arguments.end()});
  if (error.empty()) return;
  std::fprintf(stderr, "warpfuzz: %s\n", error.c_str());
  std::exit(kExitUsage);
}

// libFuzzer's temporary files of -merge and -cleanse_crash; that of -fork is a folder, which its own handler removes.
void remove_engine_files() {
  const char* base = std::getenv("TMPDIR");
  const std::string stem = std::string(base ? base : "/tmp") + "/libFuzzerTemp.", pid = std::to_string(getpid());
  unlink((stem + "Merge" + pid + ".txt").c_str());
  unlink((stem + "CleanseCrashInput" + pid + ".repro").c_str());
}

void wait_for_interrupts() {
  if (kServiceBuild || process().session->debugged()) return;
  const Invocation& in = process().invocation;
  watch_for_interrupts({.on_int = in.handles_int,
                        .on_term = in.handles_term,
                        .has_children = in.has_children,
                        .last_words = [](const char* signal) {
                          process().session->on_interrupt(signal);
                          remove_engine_files();
                        }});
}

// The process has a session from here on: an interrupt ends it in order.
void hold(std::unique_ptr<Session> session) {
  Process& p = process();
  p.session = std::move(session);
  if (p.session->timed() && this_backend().in_process()) ignore_alarm();
  p.session->before_death = [] { process().substitutes.remove(); };
  wait_for_interrupts();
}

// Files alone are replayed; everything else is a campaign.
void begin_session(const Target& target) {
  Process& p = process();
  if (p.invocation.replay) {
    auto replayer = std::make_unique<Replayer>(target, this_backend(), options(), p.invocation, Replayer::Behind::end);
    Replayer& replays = *replayer;
    hold(std::move(replayer));
    name_replayed_files(target, replays);
  } else {
    auto campaign = std::make_unique<Campaign>(target, this_backend(), options(), p.invocation);
    p.campaign = campaign.get();
    hold(std::move(campaign));
    substitute_files(target);
  }
}

void at_exit() {
  if (interrupted()) end_interrupted();  // also a parent that took the end of its process for an answer
  if (!claim_end()) pause();             // a signal ends the process
  Process& p = process();
  const bool in_vain = p.session && !p.session->finish();
  p.session.reset();
  p.substitutes.remove();
  if (in_vain) std::_Exit(kExitUnsupported);
}

}  // namespace
}  // namespace warpfuzz

using namespace warpfuzz;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  use_sanitizer_defaults();
  allow_interrupts();
  Process& p = process();
  p.arguments.assign(*argv, *argv + *argc);
  p.invocation = parse_invocation({p.arguments.begin() + 1, p.arguments.end()});
  p.invocation.program = p.arguments[0];
  const Target& target = this_target();
  if (p.invocation.gpu_server) std::_Exit(run_gpu_server(p.arguments));
  if (p.invocation.serve) std::exit(serve(target, this_backend(), "libfuzzer"));
  check_arguments();
  begin_under_a_quoted_name();
  if (p.invocation.help) {
    std::printf("%s%s", target_help(target).c_str(), describe_options().c_str());
    std::fflush(stdout);
    p.arguments = {p.arguments[0], "-help=1"};  // libFuzzer's way to be asked
  }
  if (!p.invocation.has_timeout) p.arguments.push_back("-timeout=25");
  if (!p.invocation.has_value_profile) p.arguments.push_back("-use_value_profile=1");
  if (!p.invocation.has_detect_leaks) p.arguments.push_back("-detect_leaks=0");
  if (!p.invocation.help) {
    if (const std::string error = check_inputs(p.invocation); !error.empty()) {
      std::fprintf(stderr, "warpfuzz: %s\n", error.c_str());
      std::exit(kExitBadFile);
    }
    // Here and not at the first case: the engine's modes that run cases in processes of their own would take it for a crash.
    if (DeviceBuilds* builds = this_backend().device_builds()) {
      builds->set_device(options().gpu);
      if (const std::string error = builds->ready(); !error.empty()) {
        std::fprintf(stderr, "warpfuzz: error: %s\n", error.c_str());
        std::_Exit(kExitNoDevice);
      }
    }
    begin_session(target);
    name_for_a_shell();
  }
  std::atexit(at_exit);
  for (std::string& a : p.arguments) p.argv.push_back(a.data());
  p.argv.push_back(nullptr);
  *argc = static_cast<int>(p.arguments.size());
  *argv = p.argv.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return process().session->test_one({data, size});
}

// In a replay nothing is mutated: the engine only runs its files.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (!process().campaign) return std::min(size, max_size);
  return process().campaign->mutate_input(data, size, max_size, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
  if (!process().campaign) return 0;
  return process().campaign->cross_over({a, a_size}, {b, b_size}, out, max_size, seed);
}
