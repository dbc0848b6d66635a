#include "client/lines_reached.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "base/json_fields.h"
#include "protocol/line_messages.h"
#include "protocol/target_client.h"

namespace warpfuzz::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostEnded = 5;           // inputs that end the process, until nothing more is tried
constexpr double kPatience = 5;         // that a process has beyond its time
constexpr std::size_t kMostShown = 40;  // ranges of one file

// What the index keeps.
struct KeptFile {
  std::string file;
  std::uint64_t lines = 0, reached = 0;
  std::vector<LineRange> not_reached;
};
template <class V, MaybeConst<KeptFile> F>
void fields(V& v, F& f) {
  v("file", f.file);
  v("lines", f.lines);
  v("reached", f.reached);
  v("not_reached", f.not_reached);
}

struct KeptFigures {
  std::uint64_t cases = 0, of = 0, ended = 0;
  std::vector<KeptFile> files;
};
template <class V, MaybeConst<KeptFigures> K>
void fields(V& v, K& k) {
  v("cases", k.cases);
  v("of", k.of);
  v("ended", k.ended);
  v("files", k.files);
}

// Figures, or why there are none.
struct KeptLines {
  std::optional<std::string> why;
  std::optional<KeptFigures> figures;
};
template <class V, MaybeConst<KeptLines> L>
void fields(V& v, L& l) {
  v("why", l.why);
  v.merged("files", l.figures);
}

std::string kept_text(const KeptLines& l) {
  return to_message(l).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string not_measured(const std::string& why) { return kept_text({why, {}}); }

std::vector<KeptFile> kept(const std::vector<FileLines>& files) {
  std::vector<KeptFile> list;
  for (const FileLines& f : files) list.push_back({f.file, f.lines, f.reached, f.not_reached});
  return list;
}

// "57, 61-63"
std::string ranges_text(const std::vector<LineRange>& ranges) {
  std::vector<std::string> shown;
  for (const auto& [first, last] : ranges) {
    if (shown.size() == kMostShown) {
      shown.push_back(fmt::format("and {} more", ranges.size() - kMostShown));
      break;
    }
    shown.push_back(first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

// A file's name, or its path where another file has the same name.
std::vector<std::string> short_names(const std::vector<KeptFile>& files) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  const auto name = [](const KeptFile& f) { return std::filesystem::path(f.file).filename().string(); };
  for (const KeptFile& f : files) ++seen[name(f)];
  for (const KeptFile& f : files) names.push_back(seen[name(f)] == 1 ? name(f) : f.file);
  return names;
}

std::string inputs_text(const KeptFigures& k) {
  std::string text = k.cases + k.ended < k.of ? fmt::format("{} of {} inputs", k.cases, k.of)
                                              : fmt::format("{} input{}", k.cases, k.cases == 1 ? "" : "s");
  if (k.ended) text += fmt::format(", without {} that end{} the process", k.ended, k.ended == 1 ? "s" : "");
  return text;
}

}  // namespace

std::string measure_lines(const std::string& binary, std::vector<std::string> paths, double seconds) {
  if (paths.empty()) return not_measured("there is no input to run");
  const std::size_t of = paths.size();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  TargetClient target(binary);
  for (int ended = 0; ended <= kMostEnded; ++ended) {
    const double left = std::max(0.1, std::chrono::duration<double>(end - Clock::now()).count());
    const Reply<LinesReply> r = target.ask(LinesRequest{paths, left}, left + kPatience);
    if (r.died) {
      const std::uint64_t number = r.died->executions.value_or(0);
      if (number == 0 || number > paths.size()) return not_measured("its process ended: " + r.died->message);
      paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(number - 1));
      continue;
    }
    if (!r.ok()) return not_measured(r.error);
    if (!r.answer.measured) return not_measured(r.answer.why.value_or("the target does not say why"));
    return kept_text({{},
                      KeptFigures{r.answer.cases.value_or(0), of, static_cast<std::uint64_t>(ended),
                                  kept(r.answer.files.value_or(std::vector<FileLines>{}))}});
  }
  return not_measured(fmt::format("more than {} inputs end the process", kMostEnded));
}

std::string lines_text(const std::string& stored) {
  if (stored.empty()) return "not measured";
  KeptLines l;
  const bool read = read_message(parse_json(stored, 8).value_or({}), l).empty();
  if (read && l.why) return "not measured: " + *l.why;
  if (!read || !l.figures) return "not measured: the index has no figures of them";
  const std::vector<KeptFile>& files = l.figures->files;
  if (files.empty()) return "not measured: the build lists no line of the kernel's files";
  const std::vector<std::string> names = short_names(files);
  std::uint64_t lines = 0, reached = 0;
  std::vector<std::string> of_files, missed;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const KeptFile& f = files[i];
    lines += f.lines;
    reached += f.reached;
    of_files.push_back(fmt::format("{} {} of {}", names[i], f.reached, f.lines));
    if (!f.not_reached.empty()) missed.push_back(fmt::format("{}:{}", names[i], ranges_text(f.not_reached)));
  }
  return fmt::format("{} of {} reached by {} ({}){}", reached, lines, inputs_text(*l.figures),
                     fmt::join(of_files, ", "),
                     missed.empty() ? "" : fmt::format("; not reached: {}", fmt::join(missed, "; ")));
}

}  // namespace warpfuzz::cli
