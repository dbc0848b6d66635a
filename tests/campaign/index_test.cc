// The findings index: counts are added once, the smallest file of a key is its reproducer, failures are one line and a code.
#include "campaign/index.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "base/exit_codes.h"
#include "cli_fixture.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IndexTest : public testing_cli::CliTest {
 protected:
  static Failure failure(const std::string& folder, bool create) {
    try {
      Index index(folder, create);
    } catch (const Failure& f) { return f; }
    return {0, "no failure"};
  }
  static void sqlite(const std::string& path, const char* sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  }
  static Bytes bytes_of(const std::string& path) { return read_file(path).value(); }
};

TEST_F(IndexTest, CountsOfAProcessAreAddedOnce) {
  {
    Index index(folder_, true);
    const std::int64_t slice = index.begin_slice("low", 100);
    index.count(slice, {50, {{"low/value", 3}}}, 101);
    index.count(slice, {80, {{"low/value", 5}, {"low/oob-read/low_kernel", 1}}}, 102);
  }
  // The supervisor was killed; the next one reads the last counts again, and once more.
  Index index(folder_, false);
  ASSERT_EQ(index.open_slices().size(), 1u);
  const std::int64_t slice = index.open_slices().begin()->first;
  EXPECT_EQ(index.open_slices().at(slice), "low");
  index.count(slice, {90, {{"low/value", 6}}}, 103);
  index.count(slice, {90, {{"low/value", 6}}}, 104);
  index.end_slice(slice, 12.5);
  index.count(slice, {90, {{"low/value", 6}}}, 105);  // ended: read no more

  const std::vector<TargetRow> targets = index.targets();
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].executions, 90u);
  EXPECT_EQ(targets[0].seconds, 12.5);
  const std::vector<FindingRow> rows = index.findings();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].key, "low/oob-read/low_kernel");
  EXPECT_EQ(rows[0].fault, "oob-read");
  EXPECT_EQ(rows[0].kernel, "low_kernel");
  EXPECT_EQ(rows[1].count, 6u);
  EXPECT_EQ(rows[1].first_seen, 101);
  EXPECT_EQ(rows[1].last_seen, 103);
  EXPECT_TRUE(index.open_slices().empty());
}

TEST_F(IndexTest, TheSmallestFileIsTheReproducer) {
  Index index(folder_, true);
  const Finding large = fake("low", FaultClass::value, 9, 9), small = fake("low", FaultClass::value, 1, 2);
  index.add_file("crashes/new/low/a.wfz", 900, 1, large, false, 100);
  EXPECT_EQ(index.findings()[0].path, "crashes/new/low/a.wfz");
  index.add_file("crashes/new/low/b.wfz", 700, 1, small, false, 101);
  index.add_file("crashes/new/low/c.wfz", 800, 1, large, false, 102);
  FindingRow row = index.findings().at(0);
  EXPECT_EQ(row.path, "crashes/new/low/b.wfz");
  EXPECT_EQ(row.bytes, 700u);
  EXPECT_EQ(row.elements, 2u);
  EXPECT_EQ(row.summary, small.summary);
  EXPECT_EQ(row.kind, "gross");
  EXPECT_EQ(row.dtype, "fp32");
  EXPECT_EQ(row.first_seen, 100);
  EXPECT_TRUE(index.has_file("crashes/new/low/b.wfz", 700, 1));
  EXPECT_FALSE(index.has_file("crashes/new/low/b.wfz", 700, 2));
  EXPECT_FALSE(index.has_file("crashes/new/low/b.wfz", 4096, 1));
  index.forget_files("low", {"crashes/new/low/b.wfz"});
  EXPECT_EQ(index.findings().at(0).path, "crashes/new/low/c.wfz");  // fewer bytes than a, as many elements
  index.forget_files("low", {"crashes/new/low/a.wfz", "crashes/new/low/c.wfz"});
  row = index.findings().at(0);
  EXPECT_EQ(row.path, "");  // still known
  EXPECT_EQ(row.count, 1u);
}

TEST_F(IndexTest, EachVariantHasAReproducer) {
  Index index(folder_, true);
  Finding ordinary = fake("low", FaultClass::value, 1, 2), special = fake("low", FaultClass::value, 1, 1);
  ordinary.variant = "ordinary", special.variant = "special";
  index.add_file("a.wfz", 900, 1, ordinary, false, 100);
  index.add_file("b.wfz", 700, 1, ordinary, false, 100);
  index.add_file("c.wfz", 800, 1, special, false, 100);
  ASSERT_EQ(index.findings().size(), 1u);  // one key
  EXPECT_EQ(index.findings()[0].path, "c.wfz");
  const std::vector<FileRow> files = index.reproducers("low");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "b.wfz");
  EXPECT_EQ(files[0].variant, "ordinary");
  EXPECT_EQ(files[1].path, "c.wfz");
  EXPECT_EQ(files[1].variant, "special");
}

TEST_F(IndexTest, AnIndexOfVersionOneIsTakenOver) {
  {
    Index index(folder_, true);
    index.add_file("a.wfz", 900, 1, fake("low", FaultClass::value, 1, 2), false, 100);
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(Index::path_in(folder_).c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(
          raw,
          "ALTER TABLE files DROP COLUMN variant; ALTER TABLE files DROP COLUMN alone; ALTER TABLE targets DROP COLUMN dims; ALTER TABLE targets DROP COLUMN lines; PRAGMA user_version = 1",
          nullptr, nullptr, nullptr),
      SQLITE_OK)
      << sqlite3_errmsg(raw);
  sqlite3_close(raw);
  Index index(folder_, false);
  EXPECT_EQ(index.findings().at(0).path, "a.wfz");
  EXPECT_FALSE(index.has_file("a.wfz", 900, 1));  // it is looked at again
  index.add_file("a.wfz", 900, 1, fake("low", FaultClass::value, 1, 2), false, 100);
  EXPECT_EQ(index.reproducers().at(0).variant, "ordinary");
}

TEST_F(IndexTest, AnIndexOfVersionTwoHasNoLinesAndTakesThem) {
  {
    Index index(folder_, true);
    TargetRow t = index.target("low");
    t.dims = "n 1..9, largest tried 2", t.edges = 7;
    index.save(t);
  }
  sqlite(Index::path_in(folder_), "ALTER TABLE targets DROP COLUMN lines; PRAGMA user_version = 2");
  Index index(folder_, false);
  TargetRow t = index.target("low");
  EXPECT_EQ(t.dims, "n 1..9, largest tried 2");
  EXPECT_EQ(t.lines, "");
  t.lines = R"({"why":"x"})";
  index.save(t);
  EXPECT_EQ(index.target("low").lines, R"({"why":"x"})");
  EXPECT_EQ(index.target("low").edges, 7u);
}

TEST_F(IndexTest, ToldAndKeptKeysAreNotNew) {
  Index index(folder_, true);
  index.add_file("crashes/new/low/a.wfz", 900, 1, fake("low", FaultClass::value, 1, 1), false, 100);
  index.add_file("crashes/low/b.wfz", 900, 1, fake("low", FaultClass::special, 1, 1), true, 100);
  EXPECT_EQ(index.untold(), 1u);
  RunRow run;
  run.id = index.begin_run(run);
  run.exit_code = 77, run.ended = 200, run.memory_kb = 9000;
  index.end_run(run);
  EXPECT_EQ(index.untold(), 0u);
  ASSERT_EQ(index.runs().size(), 1u);
  EXPECT_EQ(index.runs()[0].exit_code, 77);
  EXPECT_EQ(index.runs()[0].memory_kb, 9000u);
}

TEST_F(IndexTest, FaultsThatEndAProcessWaitToBeShrunk) {
  Index index(folder_, true);
  index.add_file("a.wfz", 900, 1, fake("low", FaultClass::value, 1, 1), false, 100);
  index.add_file("b.wfz", 900, 1, fake("low", FaultClass::oob_write, 1, 1), false, 100);
  ASSERT_EQ(index.to_shrink().size(), 1u);
  EXPECT_EQ(index.to_shrink()[0].path, "b.wfz");
  index.set_shrunk(index.to_shrink()[0].key, true);
  EXPECT_TRUE(index.to_shrink().empty());
}

// Each class on each backend: what a campaign's process cannot shrink is what waits for another process.
TEST_F(IndexTest, EachClassThatItsProcessCannotShrinkWaits) {
  Index index(folder_, true);
  std::map<std::string, std::set<std::string>> waiting, ending;
  for (std::size_t i = 1; i + 1 < kFaultClasses; ++i)
    for (const char* backend : {"cpu", "cuda"}) {
      const auto fault = static_cast<FaultClass>(i);
      if (aftermath(fault, backend) == Aftermath::ends) ending[backend].insert(std::string(fault_name(fault)));
      Finding f = fake(backend, fault, 1, 1);
      f.backend = backend;
      index.add_file(std::string(backend) + std::to_string(i) + ".wfz", 900, 1, f, false, 100);
    }
  for (const FindingRow& r : index.to_shrink()) waiting[r.target].insert(r.fault);
  EXPECT_EQ(waiting, ending);
  EXPECT_TRUE(waiting["cpu"].contains("oob-read") && !waiting["cuda"].contains("oob-read"));
  EXPECT_TRUE(waiting["cuda"].contains("misaligned") && !waiting["cpu"].contains("misaligned"));
}

TEST_F(IndexTest, AReproducerThatFailsAloneGoesBeforeASmallerOneThatDoesNot) {
  Index index(folder_, true);
  Finding small = fake("low", FaultClass::value, 1, 1);
  small.attributes["history"] = "depends on what ran before: ...";
  index.add_file("small.wfz", 900, 1, small, false, 100);
  EXPECT_EQ(index.findings().at(0).path, "small.wfz") << "it is all that there is";
  index.add_file("large.wfz", 900, 1, fake("low", FaultClass::value, 1, 40), false, 101);
  EXPECT_EQ(index.findings().at(0).path, "large.wfz");
}

// Whatever its class: a launcher ended the process, or smaller cases failed only after other cases.
TEST_F(IndexTest, WhatACampaignLeftUnshrunkWaits) {
  Index index(folder_, true);
  for (const auto& [name, text, waits] :
       {std::tuple("unshrunk", "its process ended", true), std::tuple("history", "shrunk by 3 of 17 steps: ...", true),
        std::tuple("history", "depends on what ran before: ...", false)}) {
    Finding f = fake(std::string("low") + text[0], FaultClass::launch, 1, 1);
    f.attributes[name] = text;
    index.add_file(std::string(text) + ".wfz", 900, 1, f, false, 100);
    const std::vector<FindingRow> rows = index.to_shrink();
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [&](const FindingRow& r) { return r.target == f.target; }), waits)
        << text;
  }
}

// What a process said of a finding stands in for its file, and gives way to one.
TEST_F(IndexTest, AToldFindingIsKnownUntilThereIsAFile) {
  Index index(folder_, true);
  const ToldFinding told{"low/oob-read/k", "low fp32 n=1", "oob-read: one behind x", "0101"};
  index.add_told("low", told, 100);
  FindingRow row = index.findings().at(0);
  EXPECT_EQ(row.fault, "oob-read");
  EXPECT_EQ(row.kernel, "k");
  EXPECT_EQ(row.summary, told.summary);
  EXPECT_EQ(row.message, told.message);
  EXPECT_EQ(row.attributes, R"({"case bytes":"0101"})");
  EXPECT_TRUE(index.to_shrink().empty());
  EXPECT_EQ(index.untold(), 1u);
  Finding found = fake("low", FaultClass::oob_read, 1, 2);
  found.place.kernel = "k";
  index.add_file("a.wfz", 900, 1, found, false, 101);
  index.add_told("low", told, 102);
  row = index.findings().at(0);
  EXPECT_EQ(row.path, "a.wfz");
  EXPECT_EQ(row.summary, found.summary);
}

TEST_F(IndexTest, ARunThatEndsOtherwiseHasToldNothing) {
  Index index(folder_, true);
  index.add_file("a.wfz", 900, 1, fake("low", FaultClass::value, 1, 1), false, 100);
  RunRow run;
  run.id = index.begin_run(run);
  run.exit_code = kExitCannotWrite;
  index.end_run(run);
  EXPECT_EQ(index.untold(), 1u);
}

TEST_F(IndexTest, HistoryIsThinnedOut) {
  Index index(folder_, true);
  for (int i = 0; i < 2400; ++i) index.add("low", {1000.0 + i, static_cast<std::uint64_t>(i), 1, 2, 3});
  index.add("high", {1, 2, 3, 4, 5});
  const std::vector<HistoryPoint> points = index.history("low");
  EXPECT_LE(points.size(), 2000u);
  EXPECT_GE(points.size(), 1000u);
  EXPECT_EQ(points.front().time, 1000);
  EXPECT_EQ(points.back().executions, 2399u);
  EXPECT_EQ(index.history("high").size(), 1u);
}

TEST_F(IndexTest, ErrorRecordsReplaceEachOther) {
  Index index(folder_, true);
  index.save(ErrorRow{"low", "fake", "corpus", "fp32", "ones", "{}", 1});
  index.save(ErrorRow{"low", "fake", "corpus", "fp32", "ones", "{\"a\":1}", 2});
  ASSERT_EQ(index.errors("low").size(), 1u);
  EXPECT_EQ(index.errors()[0].record, "{\"a\":1}");
}

TEST_F(IndexTest, FailuresAreOneLineAndACode) {
  Failure f = failure(in("nowhere"), false);
  EXPECT_EQ(f.code, kExitIndex);
  EXPECT_THAT(f.what(), HasSubstr("no findings index"));

  fs::create_directories(in("damaged/campaign"));
  std::ofstream(in("damaged/campaign/index.sqlite")) << std::string(8192, 'x');
  f = failure(in("damaged"), true);
  EXPECT_EQ(f.code, kExitIndex);
  EXPECT_THAT(f.what(), HasSubstr("move it away"));

  { Index index(in("newer"), true); }
  sqlite(in("newer/campaign/index.sqlite"), "PRAGMA user_version = 99");
  f = failure(in("newer"), true);
  EXPECT_EQ(f.code, kExitIndex);
  EXPECT_THAT(f.what(), HasSubstr("version 99"));

  std::ofstream(in("file")) << "x";
  EXPECT_EQ(failure(in("file"), true).code, kExitIndex);
}

// Another program's database in the place of the index stays byte for byte what it was.
TEST_F(IndexTest, AForeignDatabaseIsRefusedAndLeftAlone) {
  fs::create_directories(in("campaign"));
  sqlite(Index::path_in(folder_),
         "CREATE TABLE songs(title TEXT); INSERT INTO songs VALUES('x'); CREATE TABLE runs(id INTEGER)");
  const Bytes before = bytes_of(Index::path_in(folder_));
  for (const bool create : {true, false}) {
    const Failure f = failure(folder_, create);
    EXPECT_EQ(f.code, kExitIndex);
    EXPECT_THAT(f.what(), HasSubstr("a SQLite database of something else (2 tables, application_id 0)"));
    EXPECT_EQ(std::string(f.what()).find('\n'), std::string::npos);
  }
  EXPECT_EQ(bytes_of(Index::path_in(folder_)), before);

  // Nor one that has our version number, or somebody's mark, by chance.
  sqlite(Index::path_in(folder_), "PRAGMA user_version = 1");
  EXPECT_THAT(failure(folder_, true).what(), HasSubstr("of something else"));
  fs::create_directories(in("marked/campaign"));
  sqlite(in("marked/campaign/index.sqlite"), "PRAGMA application_id = 77");
  EXPECT_THAT(failure(in("marked"), true).what(), HasSubstr("(0 tables, application_id 77)"));
}

TEST_F(IndexTest, AnEmptyFileIsNoIndexForReadersAndANewOneForARun) {
  fs::create_directories(in("campaign"));
  std::ofstream(Index::path_in(folder_)).flush();
  EXPECT_THAT(failure(folder_, false).what(), HasSubstr("is empty, expected a findings index"));
  EXPECT_EQ(fs::file_size(Index::path_in(folder_)), 0u);
  EXPECT_EQ(failure(folder_, true).code, 0);
  EXPECT_EQ(failure(folder_, false).code, 0);
}

TEST_F(IndexTest, AnIndexOfBeforeTheMarkOpensAndIsMarked) {
  {
    Index index(folder_, true);
    index.add_file("a.wfz", 900, 1, fake("low", FaultClass::value, 1, 1), false, 100);
  }
  const std::string path = Index::path_in(folder_);
  sqlite(path, "PRAGMA application_id = 0");
  sqlite(
      path,
      "ALTER TABLE files DROP COLUMN variant; ALTER TABLE files DROP COLUMN alone; ALTER TABLE targets DROP COLUMN dims; ALTER TABLE targets DROP COLUMN lines");
  sqlite(path, "PRAGMA user_version = 1");
  EXPECT_EQ(Index(folder_, false).findings().size(), 1u);  // by `report`
  EXPECT_EQ(Index(folder_, true).findings().size(), 1u);
  const Bytes file = bytes_of(path);
  EXPECT_EQ(std::string(file.begin() + 68, file.begin() + 72), "WFIX");  // where SQLite's header has it
  sqlite(path, "DROP TABLE history");
  EXPECT_THAT(failure(folder_, true).what(), HasSubstr("damaged: 7 of its 8 tables"));
}

TEST_F(IndexTest, AnIndexThatIsRemovedOrReplacedIsNoticed) {
  Index index(folder_, true);
  EXPECT_EQ(index.lost(), "");
  fs::rename(in("campaign"), in("away"));
  EXPECT_THAT(index.lost(), HasSubstr("was removed while this run wrote to it"));
  Index other(folder_, true);
  EXPECT_THAT(index.lost(), HasSubstr("was replaced by another file"));
  EXPECT_EQ(other.lost(), "");
}

TEST_F(IndexTest, AFullDiskIsSaidAndNothingIsHalfWritten) {
  Index index(folder_, true);
  index.add("low", {1, 2, 3, 4, 5});
  // A limit of pages on this connection alone: what a full disk is to SQLite.
  Database database(Index::path_in(folder_), false);
  database.run("PRAGMA max_page_count = 1");
  try {
    Transaction t(database);
    database.run("INSERT INTO history VALUES('low', 9, 9, 9, 9, 9)");
    database.run("INSERT INTO errors VALUES('low', '', '', '', '', hex(zeroblob(400000)), 0)");
    t.commit();
    FAIL() << "expected a failure";
  } catch (const Failure& f) {
    EXPECT_EQ(f.code, kExitIndex);
    EXPECT_THAT(f.what(), HasSubstr("free some space"));
  }
  EXPECT_EQ(index.history("low").size(), 1u);
}

}  // namespace
}  // namespace warpfuzz::cli
