// `warpfuzz list`: findings below the crashes folder, or the targets of the build.
#include <fmt/format.h>

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "findings/variant.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::vector<std::string> folders;  // default: crashes
  std::string target;
  std::vector<std::string> where;  // NAME=TEXT over the attributes
  bool targets = false;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FOLDER", o.folders, "Folders to search for .wfz files (default: crashes)");
  a.add_flag("--targets", o.targets, "List the targets of the build instead");
  a.add_option("--target", o.target, "Only findings of this target");
  a.add_option("--where", o.where, "Only findings whose attribute NAME contains TEXT")->type_name("NAME=TEXT");
}

struct Entry {
  std::string file, error, state;
  Finding finding;
  std::int64_t age = 0;  // seconds
  std::uintmax_t size = 0;
};

// UTC of "2026-03-01T12:34:56Z"; 0 where it is none.
std::time_t parse_time(const std::string& s) {
  std::tm tm{};
  const char* end = ::strptime(s.c_str(), "%Y-%m-%dT%H:%M:%S", &tm);
  return end ? ::timegm(&tm) : 0;
}

std::string age_text(std::int64_t s) {
  if (s < 60) return "now";
  if (s < 3600) return fmt::format("{} min", s / 60);
  if (s < 48 * 3600) return fmt::format("{} h", s / 3600);
  return fmt::format("{} d", s / 86400);
}

std::string attribute(const Finding& f, const std::string& name) {
  if (name == "key") return bucket_key(f);
  if (name == "target") return f.target;
  if (name == "op") return f.op;
  if (name == "fault") return std::string(fault_name(f.fault));
  if (name == "kernel") return f.place.kernel;
  if (name == "variant") return variant_of(f);
  const auto it = f.attributes.find(name);
  return it == f.attributes.end() ? "" : it->second;
}

// Every name that --where takes: what a finding always has, the attributes of docs/findings.md, and what the files have beside them.
std::set<std::string> known_attributes(const std::vector<Entry>& entries) {
  std::set<std::string> names{"key",   "target",   "op",    "fault",   "kernel",   "variant", "kind",
                              "ratio", "location", "shape", "dtype",   "dialects", "row",     "unspecified",
                              "exact", "severity", "run",   "history", "unshrunk", "leaked"};
  for (const Entry& e : entries)
    for (const auto& [name, value] : e.finding.attributes) names.insert(printable(name, false));
  return names;
}

void check_conditions(const Options& o, const std::vector<Entry>& entries) {
  for (const std::string& w : o.where) {
    const std::size_t equals = w.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(kExitUsage, fmt::format("--where: expected NAME=TEXT, got '{}'", printable(w, false)));
    const std::set<std::string> known = known_attributes(entries);
    if (!known.contains(w.substr(0, equals)))
      throw Failure(kExitUsage, fmt::format("--where: expected one of {} before '=', got '{}'", fmt::join(known, ", "),
                                            printable(w.substr(0, equals), false)));
  }
}

bool wanted(const Finding& f, const Options& o) {
  if (!o.target.empty() && f.target != plain_target(o.target)) return false;
  for (const std::string& condition : o.where) {
    const std::size_t equals = condition.find('=');
    if (attribute(f, condition.substr(0, equals)).find(condition.substr(equals + 1)) == std::string::npos) return false;
  }
  return true;
}

// By where campaigns and `keep` put findings: new in crashes/new/<target>/, kept in crashes/<target>/, stray anywhere else, where
// no campaign looks for known keys and no test replays it.
std::string state_of(const fs::path& path, const std::string& target) {
  std::error_code ec;
  const fs::path folder = fs::absolute(path, ec).lexically_normal().parent_path(), above = folder.parent_path();
  if (target.empty() || folder.filename() != target) return "stray";
  if (above.filename() == "new" && above.parent_path().filename() == "crashes") return "new";
  return above.filename() == "crashes" ? "kept" : "stray";
}

Entry read_entry(const fs::path& path) {
  Entry e;
  e.file = path.string();
  std::error_code ec;
  e.size = fs::file_size(path, ec);
  Result<Finding> r = read_wfz(e.file);
  e.error = r.line();
  if (!r) return e;
  e.finding = *std::move(r);
  e.state = state_of(path, e.finding.target);
  std::time_t made = parse_time(e.finding.created);
  if (!made) {
    const auto written = fs::last_write_time(path, ec);
    made = std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(written));
  }
  e.age = std::max<std::int64_t>(0, std::time(nullptr) - made);
  return e;
}

std::vector<Entry> collect(const Options& o) {
  std::vector<Entry> entries;
  const bool by_default = o.folders.empty();
  for (const std::string& folder : by_default ? std::vector<std::string>{"crashes"} : o.folders) {
    std::error_code ec;
    if (by_default && !fs::exists(folder, ec)) continue;  // nothing was found yet
    if (!fs::is_directory(folder, ec)) throw Failure(kExitBadFile, fmt::format("'{}' is no folder", folder));
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && it != end; it.increment(ec)) {
      if (it->path().extension() == ".wfz" && it->path().filename().string()[0] != '.')
        entries.push_back(read_entry(it->path()));
    }
    if (ec) throw Failure(kExitBadFile, fmt::format("cannot list '{}': {}", folder, ec.message()));
  }
  check_conditions(o, entries);
  std::erase_if(entries, [&o](const Entry& e) { return e.error.empty() && !wanted(e.finding, o); });
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(bucket_key(a.finding), variant_of(a.finding), input_elements(a.finding), a.file) <
           std::tuple(bucket_key(b.finding), variant_of(b.finding), input_elements(b.finding), b.file);
  });
  return entries;
}

json entry_json(const Entry& e) {
  if (!e.error.empty()) return {{"file", e.file}, {"error", e.error}};
  const Finding& f = e.finding;
  return {{"key", bucket_key(f)},
          {"target", f.target},
          {"op", f.op},
          {"fault", fault_name(f.fault)},
          {"variant", variant_of(f)},
          {"summary", f.summary},
          {"elements", input_elements(f)},
          {"created", f.created},
          {"age_seconds", e.age},
          {"state", e.state},
          {"file", e.file},
          {"file_bytes", e.size},
          {"attributes", f.attributes}};
}

int list_findings(const Context& c, const Options& o) {
  const std::vector<Entry> entries = collect(o);
  const bool damaged = std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return !e.error.empty(); });
  if (c.json) {
    json list = json::array();
    for (const Entry& e : entries) list.push_back(entry_json(e));
    print_json({{"findings", list}});
    return damaged ? kExitBadFile : kExitOk;
  }
  std::vector<std::vector<std::string>> rows{{"KEY", "CLASS", "VARIANT", "DTYPE", "ELEMENTS", "STATE", "AGE", "FILE"}};
  for (const Entry& e : entries) {
    if (!e.error.empty()) continue;
    const Finding& f = e.finding;
    const std::string variant = variant_of(f);
    rows.push_back({bucket_key(f), std::string(fault_name(f.fault)), variant.empty() ? "-" : printable(variant, false),
                    attribute(f, "dtype"),
                    f.inputs.empty() && f.outputs.empty() ? "-" : std::to_string(input_elements(f)), e.state,
                    age_text(e.age), printable(e.file, false)});
  }
  print(rows.size() > 1 ? table(rows, {false, false, false, false, true, false, true}) : "no findings\n");
  for (const Entry& e : entries) {
    if (!e.error.empty()) note(e.error);
  }
  return damaged ? kExitBadFile : kExitOk;
}

int list_targets(const Context& c) {
  const std::vector<std::string> names = target_names(c);
  json all = json::array();
  std::vector<std::vector<std::string>> rows{{"TARGET", "OP", "DTYPES", "DIALECTS", "NARROWED TO"}};
  int worst = kExitOk;
  for (const std::string& name : names) {
    TargetClient client(target_binary(c, name));
    const Reply<Description> r = client.ask(DescribeRequest{}, c.limit(kQuickSeconds));
    if (!r.ok()) {
      const std::string error = r.died ? "died: " + r.died->message : r.error;
      worst = r.exit_code ? r.exit_code : kExitTargetError;
      all.push_back({{"target", name}, {"error", error}});
      note(error);
      continue;
    }
    const Description& a = r.answer;
    rows.push_back({name, a.op, fmt::format("{}", fmt::join(a.dtypes, ", ")), a.dialects,
                    fmt::format("{}", fmt::join(a.narrowings, "; "))});
    all.push_back(to_message(a));
  }
  if (c.json) print_json({{"targets", all}});
  else print(rows.size() > 1 ? table(rows) : fmt::format("no targets in '{}'\n", c.bin));
  return worst;
}

int run(const Context& c, const Options& o) { return o.targets ? list_targets(c) : list_findings(c, o); }

}  // namespace

extern const Command kList{
    "list", "List findings (key, class, dtype, elements, age, file), or the targets of the build", declare, run};

}  // namespace warpfuzz::cli
