#include "client/lines_reached.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "base/json_fields.h"
#include "protocol/line_messages.h"
#include "protocol/target_client.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kMostEnded = 5;           // inputs that end the process, until nothing more is tried
constexpr double kPatience = 5;         // that a process has beyond its time
constexpr std::size_t kMostShown = 40;  // ranges of one file

std::string not_measured(const std::string& why) {
  return json{{"why", why}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::uint64_t count_of(const json& j, const char* key) {
  return static_cast<std::uint64_t>(std::clamp(number_of(j, key), 0.0, 1e9));
}

// The fields that reports use, of the right shape: what the target sent and what an index holds may be anything.
json checked_files(const json& from) {
  json files = json::array();
  const json list = from.value("files", json::array());
  if (!list.is_array()) return files;
  for (const json& f : list) {
    json ranges = json::array();
    const json given = f.is_object() ? f.value("not_reached", json::array()) : json::array();
    for (const json& r : given)
      if (r.is_array() && r.size() == 2 && r[0].is_number_unsigned() && r[1].is_number_unsigned()) ranges.push_back(r);
    files.push_back({{"file", text_of(f, "file")},
                     {"lines", count_of(f, "lines")},
                     {"reached", count_of(f, "reached")},
                     {"not_reached", ranges}});
  }
  return files;
}

// "57, 61-63"
std::string ranges_text(const json& ranges) {
  std::vector<std::string> shown;
  for (const json& r : ranges) {
    if (shown.size() == kMostShown) {
      shown.push_back(fmt::format("and {} more", ranges.size() - kMostShown));
      break;
    }
    const auto first = r[0].get<std::uint64_t>(), last = r[1].get<std::uint64_t>();
    shown.push_back(first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

// A file's name, or its path where another file has the same name.
std::vector<std::string> names_of(const json& files) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  const auto name = [](const json& f) { return std::filesystem::path(text_of(f, "file")).filename().string(); };
  for (const json& f : files) ++seen[name(f)];
  for (const json& f : files) names.push_back(seen[name(f)] == 1 ? name(f) : text_of(f, "file"));
  return names;
}

std::string inputs_text(const json& j) {
  const std::uint64_t cases = count_of(j, "cases"), of = count_of(j, "of"), ended = count_of(j, "ended");
  std::string text = cases + ended < of ? fmt::format("{} of {} inputs", cases, of)
                                        : fmt::format("{} input{}", cases, cases == 1 ? "" : "s");
  if (ended) text += fmt::format(", without {} that end{} the process", ended, ended == 1 ? "s" : "");
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
    const Reply r = target.ask("lines", {{"paths", paths}, {"seconds", left}}, left + kPatience);
    if (r.died) {
      const std::uint64_t number = count_of(r.died->json, "executions");
      if (number == 0 || number > paths.size()) return not_measured("its process ended: " + r.died->message);
      paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(number - 1));
      continue;
    }
    if (!r.ok()) return not_measured(r.error);
    LinesReply reply;
    if (const std::string wrong = read_message(r.answer, reply); !wrong.empty()) return not_measured(wrong);
    if (!reply.measured) return not_measured(reply.why.value_or("the target does not say why"));
    const json files = checked_files(to_message(reply));
    return json{{"cases", reply.cases.value_or(0)}, {"of", of}, {"ended", ended}, {"files", files}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
  }
  return not_measured(fmt::format("more than {} inputs end the process", kMostEnded));
}

std::string lines_text(const std::string& stored) {
  if (stored.empty()) return "not measured";
  const json j = parse_json(stored, 8).value_or({});
  if (!j.is_object()) return "not measured: the index has no figures of them";
  if (j.contains("why")) return "not measured: " + text_of(j, "why");
  const json files = checked_files(j);
  const std::vector<std::string> names = names_of(files);
  std::uint64_t lines = 0, reached = 0;
  std::vector<std::string> of_files, missed;
  for (std::size_t i = 0; i < files.size(); ++i) {
    lines += count_of(files[i], "lines"), reached += count_of(files[i], "reached");
    of_files.push_back(
        fmt::format("{} {} of {}", names[i], count_of(files[i], "reached"), count_of(files[i], "lines")));
    if (!files[i]["not_reached"].empty())
      missed.push_back(fmt::format("{}:{}", names[i], ranges_text(files[i]["not_reached"])));
  }
  if (files.empty()) return "not measured: the build lists no line of the kernel's files";
  return fmt::format("{} of {} reached by {} ({}){}", reached, lines, inputs_text(j), fmt::join(of_files, ", "),
                     missed.empty() ? "" : fmt::format("; not reached: {}", fmt::join(missed, "; ")));
}

}  // namespace warpfuzz::cli
