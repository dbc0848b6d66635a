// SQLite, called in one file.
#include "campaign/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/exit_codes.h"
#include "client/context.h"

namespace warpfuzz::cli {
namespace {

constexpr int kBusyMilliseconds = 10000;

const char* hint(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another process has held it for more than 10 s; end that one, then run this again";
    case SQLITE_FULL:
      return "free some space, then run it again: what is in the index and in the files of counts and findings beside it is kept, and is added then";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return "move it away, then run it again: a new one is made from the files of findings";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM: return "name a folder that may be written to, on a disk with space";
    default: return "free some space or move the file away, then run it again";
  }
}

}  // namespace

Database::Database(const std::string& path, bool create) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) fail("open");
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

void Database::set_up() {
  run("PRAGMA journal_mode = WAL");
  run("PRAGMA cache_size = -256");     // of a supervisor that runs for weeks, and asks little
  run("PRAGMA synchronous = NORMAL");  // a killed process loses nothing; a power cut at most the last seconds
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(const char* what) const {
  const int code = handle_ ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
  const std::string message = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
  throw Failure(kExitIndex, fmt::format("cannot {} the findings index '{}': {}; {}", what, path_, message, hint(code)));
}

void Database::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

std::int64_t Database::number(const char* sql) {
  Statement s(*this, sql);
  return s.row() ? s.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle_, sql, -1, &handle_, nullptr) != SQLITE_OK) database.fail("read");
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(const std::string& text) {
  if (sqlite3_bind_text(handle_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT) != SQLITE_OK)
    database_.fail("write");
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  if (sqlite3_bind_int64(handle_, ++bound_, number) != SQLITE_OK) database_.fail("write");
  return *this;
}

Statement& Statement::bind(double number) {
  if (sqlite3_bind_double(handle_, ++bound_, number) != SQLITE_OK) database_.fail("write");
  return *this;
}

bool Statement::row() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(sqlite3_stmt_readonly(handle_) ? "read" : "write");
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (row()) {}
}

std::string Statement::text(int column) const {
  const unsigned char* t = sqlite3_column_text(handle_, column);
  return t ? std::string(reinterpret_cast<const char*>(t),
                         static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)))
           : "";
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

Transaction::~Transaction() {
  if (!done_) sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace warpfuzz::cli
