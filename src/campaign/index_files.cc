// Rows of the findings index: files of findings and which of them is a key's reproducer, and what reports read.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "campaign/index.h"
#include "findings/finding.h"
#include "findings/variant.h"

namespace warpfuzz::cli {
namespace {

std::string attribute(const Finding& f, const char* name) {
  const auto it = f.attributes.find(name);
  return it == f.attributes.end() ? "" : it->second;
}

// Not by a process that the fault ended, or whose server it ended; nor by one in which smaller cases failed only after other cases.
bool shrunk_where_found(const Finding& f) {
  return aftermath(f.fault, f.backend) != Aftermath::ends && !f.attributes.contains("unshrunk") &&
         !attribute(f, "history").starts_with("shrunk by ");
}

// A file of a finding that failed only after other cases shows nothing to who runs it: any other is better.
bool fails_alone(const Finding& f) { return !attribute(f, "history").starts_with("depends on what ran before"); }

}  // namespace

void Index::add_file(const std::string& path, std::uint64_t bytes, std::int64_t modified, const Finding& f, bool kept,
                     double now) {
  const std::string key = bucket_key(f);
  const std::uint64_t elements = input_elements(f);
  Transaction t(database_);
  Statement(
      database_,
      "INSERT OR REPLACE INTO files(path, target, key, variant, alone, bytes, elements, modified, kept) VALUES(?,?,?,?,?,?,?,?,?)")
      .values(path, f.target, key, variant_of(f), fails_alone(f) ? 1 : 0, bytes, elements, modified, kept ? 1 : 0)
      .run();
  // What is kept was known before this campaign: an exit code never tells it.
  Statement(
      database_,
      "INSERT OR IGNORE INTO findings(key, target, fault, kernel, first_seen, last_seen, told, shrunk) VALUES(?,?,?,?,?,?,?,?)")
      .values(key, f.target, std::string(fault_name(f.fault)), fault_info(f.fault).has_place ? f.place.kernel : "", now,
              now, kept ? 1 : 0, shrunk_where_found(f) ? 1 : 0)
      .run();
  if (kept) Statement(database_, "UPDATE findings SET kept = 1, told = 1 WHERE key = ?").values(key).run();
  choose_reproducer(key);
  Statement(
      database_,
      "UPDATE findings SET op = ?, kind = ?, location = ?, dtype = ?, severity = ?, summary = ?, message = ?, attributes = ? WHERE key = ? AND path = ?")
      .values(f.op, attribute(f, "kind"), attribute(f, "location"), attribute(f, "dtype"), attribute(f, "severity"),
              f.summary, f.message,
              nlohmann::json(f.attributes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), key, path)
      .run();
  t.commit();
}

void Index::add_told(const std::string& target, const ToldFinding& f, double now) {
  Transaction t(database_);
  add_key(f.key, target, now);
  Statement(database_,
            "UPDATE findings SET summary = ?, message = ?, attributes = ?, last_seen = ? WHERE key = ? AND path = ''")
      .values(f.summary, f.message,
              nlohmann::json{{"case bytes", f.bytes}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
              now, f.key)
      .run();
  t.commit();
}

void Index::choose_reproducer(const std::string& key) {
  std::string path;
  std::int64_t bytes = 0, elements = 0;
  {
    Statement s(
        database_,
        "SELECT path, bytes, elements FROM files WHERE key = ? ORDER BY alone DESC, elements, bytes, path LIMIT 1");
    if (s.values(key).row()) path = s.text(0), bytes = s.integer(1), elements = s.integer(2);
  }
  Statement(database_, "UPDATE findings SET path = ?, bytes = ?, elements = ? WHERE key = ?")
      .values(path, bytes, elements, key)
      .run();
}

bool Index::has_file(const std::string& path, std::uint64_t bytes, std::int64_t modified) {
  Statement s(database_, "SELECT 1 FROM files WHERE path = ? AND bytes = ? AND modified = ?");
  return s.values(path, bytes, modified).row();
}

void Index::forget_files(const std::string& target, const std::vector<std::string>& paths) {
  Transaction t(database_);
  std::set<std::string> keys;
  for (const std::string& path : paths) {
    {
      Statement s(database_, "SELECT key FROM files WHERE path = ? AND target = ?");
      if (s.values(path, target).row()) keys.insert(s.text(0));
    }
    Statement(database_, "DELETE FROM files WHERE path = ? AND target = ?").values(path, target).run();
  }
  for (const std::string& key : keys) choose_reproducer(key);
  t.commit();
}

std::vector<std::string> Index::files(const std::string& target) {
  std::vector<std::string> paths;
  Statement s(database_, "SELECT path FROM files WHERE target = ?");
  s.values(target);
  while (s.row()) paths.push_back(s.text(0));
  return paths;
}

std::vector<FileRow> Index::reproducers(const std::string& target) {
  std::vector<FileRow> rows;
  Statement s(
      database_,
      "SELECT path, key, variant, bytes, elements, kept FROM (SELECT *, row_number() OVER (PARTITION BY key, variant ORDER BY alone DESC, elements, bytes, path) AS place "
      "FROM files WHERE target = ?1 OR ?1 = '') WHERE place = 1 ORDER BY key, variant");
  s.values(target);
  while (s.row())
    rows.push_back({s.text(0), s.text(1), s.text(2), static_cast<std::uint64_t>(s.integer(3)),
                    static_cast<std::uint64_t>(s.integer(4)), s.integer(5) != 0});
  return rows;
}

std::vector<FindingRow> Index::findings(const std::string& target) {
  std::vector<FindingRow> rows;
  Statement s(
      database_,
      "SELECT target, key, op, fault, kernel, kind, location, dtype, severity, summary, message, attributes, first_seen, last_seen, max(count, 1), path, "
      "bytes, elements, kept, shrunk, told FROM findings WHERE target = ?1 OR ?1 = '' ORDER BY target, key");
  s.values(target);
  while (s.row()) {
    FindingRow r;
    int i = 0;
    for (std::string* text : {&r.target, &r.key, &r.op, &r.fault, &r.kernel, &r.kind, &r.location, &r.dtype,
                              &r.severity, &r.summary, &r.message, &r.attributes})
      *text = s.text(i++);
    r.first_seen = s.real(12), r.last_seen = s.real(13);
    r.count = static_cast<std::uint64_t>(s.integer(14));
    r.path = s.text(15);
    r.bytes = static_cast<std::uint64_t>(s.integer(16)), r.elements = static_cast<std::uint64_t>(s.integer(17));
    r.kept = s.integer(18), r.shrunk = s.integer(19), r.told = s.integer(20);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::vector<FindingRow> Index::to_shrink() {
  std::vector<FindingRow> rows = findings();
  std::erase_if(rows, [](const FindingRow& r) { return r.shrunk || r.kept || r.path.empty(); });
  return rows;
}

void Index::set_shrunk(const std::string& key, bool shrunk) {
  Statement(database_, "UPDATE findings SET shrunk = ? WHERE key = ?").values(shrunk ? 1 : 0, key).run();
}

std::uint64_t Index::untold() {
  return static_cast<std::uint64_t>(database_.number("SELECT count(*) FROM findings WHERE told = 0"));
}

TargetRow Index::target(const std::string& name) {
  for (TargetRow& r : targets())
    if (r.target == name) return r;
  TargetRow r;
  r.target = name;
  return r;
}

std::vector<TargetRow> Index::targets() {
  std::vector<TargetRow> rows;
  Statement s(
      database_,
      "SELECT target, op, problem, seconds, first_started, last_new, last_merge, executions, slices, edges, features, corpus, corpus_bytes, deaths, recycled, "
      "timeouts, out_of_memory, dims, lines FROM targets ORDER BY target");
  while (s.row()) {
    TargetRow r;
    r.target = s.text(0), r.op = s.text(1), r.problem = s.text(2);
    int i = 3;
    for (double* number : {&r.seconds, &r.first_started, &r.last_new, &r.last_merge}) *number = s.real(i++);
    for (std::uint64_t* number : {&r.executions, &r.slices, &r.edges, &r.features, &r.corpus, &r.corpus_bytes,
                                  &r.deaths, &r.recycled, &r.timeouts, &r.out_of_memory})
      *number = static_cast<std::uint64_t>(s.integer(i++));
    r.dims = s.text(i++), r.lines = s.text(i);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::vector<HistoryPoint> Index::history(const std::string& target) {
  std::vector<HistoryPoint> points;
  Statement s(database_,
              "SELECT time, executions, edges, features, corpus FROM history WHERE target = ? ORDER BY time");
  s.values(target);
  while (s.row())
    points.push_back({s.real(0), static_cast<std::uint64_t>(s.integer(1)), static_cast<std::uint64_t>(s.integer(2)),
                      static_cast<std::uint64_t>(s.integer(3)), static_cast<std::uint64_t>(s.integer(4))});
  return points;
}

std::vector<ErrorRow> Index::errors(const std::string& target) {
  std::vector<ErrorRow> rows;
  Statement s(
      database_,
      "SELECT target, op, source, dtype, fill, record, time FROM errors WHERE target = ?1 OR ?1 = '' ORDER BY target, source, dtype, fill");
  s.values(target);
  while (s.row()) rows.push_back({s.text(0), s.text(1), s.text(2), s.text(3), s.text(4), s.text(5), s.real(6)});
  return rows;
}

std::vector<RunRow> Index::runs() {
  std::vector<RunRow> rows;
  Statement s(
      database_,
      "SELECT id, started, ended, targets, backend, workers, exit_code, seed, memory_kb, new_keys FROM runs ORDER BY id");
  while (s.row()) {
    RunRow r;
    r.id = s.integer(0), r.started = s.real(1), r.ended = s.real(2), r.targets = s.text(3), r.backend = s.text(4);
    r.workers = static_cast<int>(s.integer(5)), r.exit_code = static_cast<int>(s.integer(6));
    r.seed = static_cast<std::uint64_t>(s.integer(7)), r.memory_kb = static_cast<std::uint64_t>(s.integer(8));
    r.new_keys = static_cast<std::uint64_t>(s.integer(9));
    rows.push_back(std::move(r));
  }
  return rows;
}

}  // namespace warpfuzz::cli
