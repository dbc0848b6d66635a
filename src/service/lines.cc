// The command `lines`: which lines of the kernel's files the cases of a corpus reach.
#include <chrono>

#include "pipeline/feedback.h"
#include "pipeline/line_table.h"
#include "pipeline/load_case.h"
#include "protocol/line_messages.h"
#include "service/commands.h"

namespace warpfuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Numbers that come in ascending order.
void add_line(std::vector<LineRange>& ranges, std::uint64_t n) {
  if (!ranges.empty() && ranges.back()[1] + 1 == n) ranges.back()[1] = n;
  else ranges.push_back({n, n});
}

std::vector<FileLines> files_of(const LinesReached& lines) {
  std::vector<FileLines> files;
  for (const auto& [file, seen] : lines.files()) {
    FileLines f;
    f.file = file;
    f.lines = seen.size();
    for (const auto& [line, was_reached] : seen) {
      f.reached += was_reached;
      add_line(was_reached ? f.reached_lines : f.not_reached, line);
    }
    files.push_back(std::move(f));
  }
  return files;
}

LinesReply lines_reached(Serving& s, const LinesRequest& request) {
  LinesReply reply;
  if (line_records().empty()) {
    reply.why = s.backend.name() == std::string("cpu") ? "this build has no coverage counters, or not the compiler pass"
                                                       : "this backend counts no lines";
    return reply;
  }
  LinesReached lines(line_records(), this_target_file());
  const auto begun = Clock::now();
  RunSettings settings;
  settings.extra_run_one_in = 0;
  Scratch scratch;
  settings.scratch = &scratch;
  std::uint64_t ran = 0;
  s.executions = 0;
  for (const std::string& path : request.paths.value_or(std::vector<std::string>{})) {
    if (request.seconds && Clock::now() - begun >= std::chrono::duration<double>(*request.seconds)) break;
    ++s.executions;
    const Result<LoadedCase> c = load_case(s.target, path);
    if (!c) continue;
    clear_features();
    CaseResult r = s.run(s.target, c->bytes, settings);
    lines.add();
    scratch.take_back(r);
    ++ran;
  }
  clear_features();
  reply.measured = true;
  reply.cases = ran;
  reply.files = files_of(lines);
  return reply;
}

constexpr NamedCommand kCommands[] = {command<lines_reached>()};

}  // namespace

std::span<const NamedCommand> line_commands() { return kCommands; }

}  // namespace warpfuzz
