// Tables of the findings index, reading and writing them.
#include "campaign/index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kVersion = 3;
constexpr std::int64_t kApplication = 0x57464958;  // "WFIX", by which `file` and we tell it from other databases
constexpr std::int64_t kMostPoints = 2000;         // of one target's history

constexpr std::int64_t kTableCount = 8;
constexpr const char* kTables = R"(
CREATE TABLE runs(id INTEGER PRIMARY KEY, started REAL, ended REAL, targets TEXT, backend TEXT, workers INTEGER, exit_code INTEGER, seed INTEGER,
  memory_kb INTEGER, new_keys INTEGER);
CREATE TABLE targets(target TEXT PRIMARY KEY, op TEXT DEFAULT '', executions INTEGER DEFAULT 0, slices INTEGER DEFAULT 0, seconds REAL DEFAULT 0,
  edges INTEGER DEFAULT 0, features INTEGER DEFAULT 0, corpus INTEGER DEFAULT 0, corpus_bytes INTEGER DEFAULT 0, first_started REAL DEFAULT 0,
  last_new REAL DEFAULT 0, last_merge REAL DEFAULT 0, deaths INTEGER DEFAULT 0, recycled INTEGER DEFAULT 0, timeouts INTEGER DEFAULT 0,
  out_of_memory INTEGER DEFAULT 0, problem TEXT DEFAULT '');
CREATE TABLE findings(key TEXT PRIMARY KEY, target TEXT, op TEXT DEFAULT '', fault TEXT, kernel TEXT, kind TEXT DEFAULT '', location TEXT DEFAULT '',
  dtype TEXT DEFAULT '', severity TEXT DEFAULT '', summary TEXT DEFAULT '', message TEXT DEFAULT '', attributes TEXT DEFAULT '{}', first_seen REAL,
  last_seen REAL, count INTEGER DEFAULT 0, path TEXT DEFAULT '', bytes INTEGER DEFAULT 0, elements INTEGER DEFAULT 0, kept INTEGER DEFAULT 0,
  shrunk INTEGER DEFAULT 0, told INTEGER DEFAULT 0);
CREATE TABLE files(path TEXT PRIMARY KEY, target TEXT, key TEXT, bytes INTEGER, elements INTEGER, modified INTEGER, kept INTEGER);
CREATE INDEX files_of_key ON files(key);
CREATE TABLE history(target TEXT, time REAL, executions INTEGER, edges INTEGER, features INTEGER, corpus INTEGER);
CREATE INDEX history_of_target ON history(target, time);
CREATE TABLE errors(target TEXT, op TEXT, source TEXT, dtype TEXT, fill TEXT, record TEXT, time REAL, PRIMARY KEY(target, source, dtype, fill));
CREATE TABLE slices(id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT, started REAL, executions INTEGER DEFAULT 0);
CREATE TABLE slice_keys(slice INTEGER, key TEXT, count INTEGER, PRIMARY KEY(slice, key));
PRAGMA user_version = 1;
)";

// What each later version adds; the first is that of version 2. Files are looked at again: no row says which variant they are.
constexpr const char* kUpgrades[] = {R"(
ALTER TABLE files ADD COLUMN variant TEXT DEFAULT '';
ALTER TABLE files ADD COLUMN alone INTEGER DEFAULT 1;
ALTER TABLE targets ADD COLUMN dims TEXT DEFAULT '';
UPDATE files SET modified = -1;
PRAGMA user_version = 2;
)",
                                     R"(
ALTER TABLE targets ADD COLUMN lines TEXT DEFAULT '';
PRAGMA user_version = 3;
)"};
static_assert(std::size(kUpgrades) == kVersion - 1);

std::string checked_path(const std::string& folder, bool create) {
  const std::string path = Index::path_in(folder);
  std::error_code ec;
  if (create) fs::create_directories(fs::path(path).parent_path(), ec);
  if (!create && !fs::exists(path, ec))
    throw Failure(kExitIndex,
                  fmt::format("no findings index '{}': expected the folder of a campaign; `warpfuzz run` makes one",
                              printable(path, false)));
  if (ec)
    throw Failure(kExitIndex, fmt::format("cannot create the folder of the findings index '{}': {}",
                                          printable(path, false), ec.message()));
  return path;
}

}  // namespace

std::string Index::path_in(const std::string& folder) { return folder + "/campaign/index.sqlite"; }

Index::Index(const std::string& folder, bool create) : database_(checked_path(folder, create), create) {
  const bool made = check(create);
  database_.set_up();
  if (!made && create) {
    Transaction t(database_);
    if (database_.number("PRAGMA user_version") == 0) database_.run(kTables);  // nobody else has made it meanwhile
    mark();
    t.commit();
  }
  if (database_.number("PRAGMA user_version") < kVersion) upgrade();
  struct stat st{};
  if (::stat(database_.path().c_str(), &st) == 0) device_ = st.st_dev, inode_ = st.st_ino;
}

void Index::mark() { database_.run(fmt::format("PRAGMA application_id = {}", kApplication).c_str()); }

void Index::upgrade() {
  Transaction t(database_);
  for (std::int64_t is = database_.number("PRAGMA user_version"); is < kVersion; ++is) database_.run(kUpgrades[is - 1]);
  mark();  // by version 1 alone an index without it is told from other databases
  t.commit();
}

// Whether it is an index that needs nothing more. Reads only: a database of another program stays as it is. The first indexes
// had no application_id, but these tables and version 1; an empty file is what a run leaves that is killed while it makes one.
bool Index::check(bool create) {
  const std::int64_t application = database_.number("PRAGMA application_id"),
                     version = database_.number("PRAGMA user_version");
  const std::int64_t tables =
      database_.number("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const std::int64_t known = database_.number(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('runs', 'targets', 'findings', 'files', 'history', 'errors', 'slices', 'slice_keys')");
  const std::string path = printable(database_.path(), false);
  if (application == 0 && version == 0 && tables == 0) {
    if (create) return false;
    throw Failure(kExitIndex,
                  fmt::format("'{}' is empty, expected a findings index; `warpfuzz run` makes one there", path));
  }
  const bool marked = application == kApplication, early = application == 0 && version == 1 && known == kTableCount;
  if (!marked && !early)
    throw Failure(
        kExitIndex,
        fmt::format(
            "'{}' is a SQLite database of something else ({} tables, application_id {}), expected a findings index; it stays as "
            "it is: move it away, or name another --folder",
            path, tables, application));
  if (version > kVersion)
    throw Failure(
        kExitIndex,
        fmt::format("the findings index '{}' is of version {}, expected at most {}: use the WarpFuzz that wrote it",
                    path, version, kVersion));
  if (known < kTableCount || version < 1)
    throw Failure(
        kExitIndex,
        fmt::format(
            "the findings index '{}' is damaged: {} of its {} tables are there; move it away, then run this again: a new one is made "
            "from the files of findings",
            path, known, kTableCount));
  return marked;
}

std::string Index::lost() const {
  struct stat st{};
  if (::stat(database_.path().c_str(), &st) != 0)
    return fmt::format("the findings index '{}' was removed while this run wrote to it",
                       printable(database_.path(), false));
  if (st.st_dev != device_ || st.st_ino != inode_)
    return fmt::format("the findings index '{}' was replaced by another file while this run wrote to it",
                       printable(database_.path(), false));
  return "";
}

std::int64_t Index::begin_run(const RunRow& r) {
  Statement(
      database_,
      "INSERT INTO runs(started, ended, targets, backend, workers, exit_code, seed, memory_kb, new_keys) VALUES(?,0,?,?,?,-1,?,0,0)")
      .values(r.started, r.targets, r.backend, r.workers, r.seed)
      .run();
  return database_.last_id();
}

void Index::end_run(const RunRow& r) {
  Transaction t(database_);
  Statement(database_, "UPDATE runs SET ended = ?, exit_code = ?, memory_kb = ?, new_keys = ? WHERE id = ?")
      .values(r.ended, r.exit_code, r.memory_kb, r.new_keys, r.id)
      .run();
  if (r.exit_code == kExitFinding) database_.run("UPDATE findings SET told = 1");
  t.commit();
}

std::int64_t Index::begin_slice(const std::string& target, double now) {
  Transaction t(database_);
  Statement(database_, "INSERT OR IGNORE INTO targets(target, first_started) VALUES(?,?)").values(target, now).run();
  Statement(database_, "INSERT INTO slices(target, started) VALUES(?,?)").values(target, now).run();
  const std::int64_t id = database_.last_id();
  Statement(database_, "UPDATE targets SET slices = slices + 1 WHERE target = ?").values(target).run();
  t.commit();
  return id;
}

// Of its name alone: TARGET/FAULT or TARGET/FAULT/KERNEL.
void Index::add_key(const std::string& key, const std::string& target, double now) {
  const std::size_t first = key.find('/'), second = first == std::string::npos ? first : key.find('/', first + 1);
  const std::string fault = first == std::string::npos
                                ? ""
                                : key.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  const std::string kernel = second == std::string::npos ? "" : key.substr(second + 1);
  Statement(database_, "INSERT OR IGNORE INTO findings(key, target, fault, kernel, first_seen) VALUES(?,?,?,?,?)")
      .values(key, target, fault, kernel, now)
      .run();
}

void Index::count(std::int64_t slice, const Counts& counts, double now) {
  Transaction t(database_);
  std::string target;
  std::int64_t counted = 0;
  {
    Statement s(database_, "SELECT target, executions FROM slices WHERE id = ?");
    if (!s.values(slice).row()) return;  // ended: counted already
    target = s.text(0);
    counted = s.integer(1);
  }
  const std::int64_t more = std::max<std::int64_t>(0, static_cast<std::int64_t>(counts.executions) - counted);
  Statement(database_, "UPDATE slices SET executions = executions + ? WHERE id = ?").values(more, slice).run();
  Statement(database_, "UPDATE targets SET executions = executions + ? WHERE target = ?").values(more, target).run();
  for (const auto& [key, n] : counts.keys) {
    std::int64_t before = 0;
    {
      Statement s(database_, "SELECT count FROM slice_keys WHERE slice = ? AND key = ?");
      if (s.values(slice, key).row()) before = s.integer(0);
    }
    if (static_cast<std::int64_t>(n) <= before) continue;
    Statement(database_, "INSERT OR REPLACE INTO slice_keys(slice, key, count) VALUES(?,?,?)")
        .values(slice, key, n)
        .run();
    add_key(key, target, now);
    Statement(database_, "UPDATE findings SET count = count + ?, last_seen = ? WHERE key = ?")
        .values(static_cast<std::int64_t>(n) - before, now, key)
        .run();
  }
  t.commit();
}

void Index::end_slice(std::int64_t slice, double seconds) {
  Transaction t(database_);
  Statement(database_,
            "UPDATE targets SET seconds = seconds + ? WHERE target = (SELECT target FROM slices WHERE id = ?)")
      .values(seconds, slice)
      .run();
  Statement(database_, "DELETE FROM slice_keys WHERE slice = ?").values(slice).run();
  Statement(database_, "DELETE FROM slices WHERE id = ?").values(slice).run();
  t.commit();
}

std::map<std::int64_t, std::string> Index::open_slices() {
  std::map<std::int64_t, std::string> slices;
  Statement s(database_, "SELECT id, target FROM slices");
  while (s.row()) slices[s.integer(0)] = s.text(1);
  return slices;
}

void Index::save(const TargetRow& r) {
  Statement(
      database_,
      "INSERT INTO targets(target, op, edges, features, corpus, corpus_bytes, first_started, last_new, last_merge, deaths, recycled, timeouts, "
      "out_of_memory, problem, dims, lines) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(target) DO UPDATE SET op = excluded.op, edges = excluded.edges, "
      "features = excluded.features, corpus = excluded.corpus, corpus_bytes = excluded.corpus_bytes, last_new = excluded.last_new, last_merge = "
      "excluded.last_merge, deaths = excluded.deaths, recycled = excluded.recycled, timeouts = excluded.timeouts, out_of_memory = "
      "excluded.out_of_memory, problem = excluded.problem, dims = excluded.dims, lines = excluded.lines")
      .values(r.target, r.op, r.edges, r.features, r.corpus, r.corpus_bytes, r.first_started, r.last_new, r.last_merge,
              r.deaths, r.recycled, r.timeouts, r.out_of_memory, r.problem, r.dims, r.lines)
      .run();
}

void Index::add(const std::string& target, const HistoryPoint& p) {
  Transaction t(database_);
  Statement(database_, "INSERT INTO history(target, time, executions, edges, features, corpus) VALUES(?,?,?,?,?,?)")
      .values(target, p.time, p.executions, p.edges, p.features, p.corpus)
      .run();
  std::int64_t points = 0;
  {
    Statement s(database_, "SELECT count(*) FROM history WHERE target = ?");
    if (s.values(target).row()) points = s.integer(0);
  }
  if (points > kMostPoints)  // every second one goes: the curve keeps its length and its shape
    Statement(
        database_,
        "DELETE FROM history WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, row_number() OVER (ORDER BY time) AS n FROM history WHERE target = ?) "
        "WHERE n % 2 = 0)")
        .values(target)
        .run();
  t.commit();
}

void Index::save(const ErrorRow& e) {
  Statement(database_,
            "INSERT OR REPLACE INTO errors(target, op, source, dtype, fill, record, time) VALUES(?,?,?,?,?,?,?)")
      .values(e.target, e.op, e.source, e.dtype, e.fill, e.record, e.time)
      .run();
}

}  // namespace warpfuzz::cli
