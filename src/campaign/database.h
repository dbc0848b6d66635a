// A SQLite database whose every call is checked: a failure is one line and the exit code `index`.
#pragma once
#include <cstdint>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace warpfuzz::cli {

class Statement;

class Database {
 public:
  // Opens it, and makes it where it is not there and `create` says so. Nothing is written before set_up(): it may be somebody
  // else's. Waits 10 s for another process.
  Database(const std::string& path, bool create);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void set_up();                         // write-ahead log, a small cache
  void run(const char* sql);             // statements without values
  std::int64_t number(const char* sql);  // the one value of a query; 0 where there is no row
  std::int64_t last_id() const;
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  friend class Transaction;
  [[noreturn]] void fail(const char* what) const;
  std::string path_;
  sqlite3* handle_ = nullptr;
};

// One statement; values are bound in their order.
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);
  Statement& bind(int number) { return bind(static_cast<std::int64_t>(number)); }
  Statement& bind(std::uint64_t number) { return bind(static_cast<std::int64_t>(number)); }
  template <class... Values>
  Statement& values(const Values&... v) {
    (bind(v), ...);
    return *this;
  }
  bool row();  // the next one; false behind the last
  void run();  // without rows
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

// Everything until commit() or nothing.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.run("COMMIT");
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace warpfuzz::cli
