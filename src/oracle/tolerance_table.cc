// Reading tolerances.toml (toml++) and choosing a row.
#define TOML_EXCEPTIONS 0
#include "oracle/tolerance_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/exit_codes.h"
#include "ops/spec.h"
#include "oracle/judge.h"

namespace warpfuzz {
namespace {

constexpr std::string_view kRowKeys[] = {"c", "c0", "lam", "kap", "ftz", "store"};
constexpr std::string_view kEvidenceKeys[] = {"runs",        "max_ratio", "p99",  "control", "twin",
                                              "twin_failed", "device",    "seed", "date",    "table_version"};
constexpr const char* kStores[] = {"rn", "rz", "rd", "ru"};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : file_(file) {
    const toml::parse_result parsed = toml::parse(text, file);
    if (!parsed) {
      const toml::parse_error& e = parsed.error();
      fail(fmt::format("line {}", e.source().begin.line), std::string(e.description()));
      return;
    }
    root(parsed.table());
  }
  ToleranceTable take() { return std::move(table_); }

 private:
  void fail(std::string_view where, const std::string& what) {
    if (table_.error.empty()) table_.error = fmt::format("{}: {}: {}", file_, where, what);
  }

  void root(const toml::table& t) {
    for (const auto& [key, node] : t) {
      const std::string_view name = key.str();
      if (name == "table_version") {
        const auto v = node.value_exact<std::int64_t>();
        if (!v || *v < 1 || *v > 1000000) fail("table_version", "expected a whole number of at least 1");
        else table_.version = static_cast<int>(*v);
      } else if (node.is_table()) {
        op(std::string(name), *node.as_table());
      } else {
        fail(name, "expected table_version or a table [op.dtype]");
      }
    }
    if (table_.version == 0) fail("top level", "expected table_version = N");
    for (const char* dtype : {"fp32", "fp16", "bf16"})
      if (!table_.rows.contains(fmt::format("default.{}", dtype)))
        fail(fmt::format("[default.{}]", dtype), "expected this row: ops without one fall back to it");
    for (auto& [name, row] : table_.rows) row.table_version = table_.version;
  }

  void op(const std::string& op_name, const toml::table& t) {
    for (const auto& [key, node] : t) {
      const std::string where = fmt::format("[{}.{}]", op_name, key.str());
      const auto dtype = dtype_from_name(key.str());
      if (!dtype || !info(*dtype).floating)
        fail(where, "expected a floating dtype (fp32, fp16, bf16) behind the op's name");
      else if (!node.is_table()) fail(where, "expected a table");
      else row(fmt::format("{}.{}", op_name, key.str()), *node.as_table(), true);
    }
  }

  // dialects: this row may hold rows of dialects below it.
  void row(const std::string& name, const toml::table& t, bool dialects) {
    ToleranceRow r;
    r.name = name;
    const std::string where = fmt::format("[{}]", name);
    for (const std::string_view key : kRowKeys)
      if (!t.contains(key))
        return fail(where, fmt::format("key '{}' is missing; expected {}", key, fmt::join(kRowKeys, ", ")));
    for (const auto& [key, node] : t) {
      const std::string_view k = key.str();
      if (node.is_table() && k == "evidence") evidence(name, *node.as_table());
      else if (node.is_table() && dialects) dialect(name, std::string(k), *node.as_table());
      else value(r, where, k, node);
    }
    table_.rows.emplace(name, std::move(r));
  }

  void dialect(const std::string& parent, const std::string& name, const toml::table& t) {
    Dialects known;
    if (!declare_dialect(known, name).empty())
      return fail(fmt::format("[{}.{}]", parent, name),
                  fmt::format("expected 'evidence' or a dialect of {}", fmt::join(dialect_names(), ", ")));
    row(fmt::format("{}.{}", parent, name), t, false);
  }

  void value(ToleranceRow& r, const std::string& where, std::string_view key, const toml::node& node) {
    const auto number = [&](double least) -> double {
      const auto v = node.value<double>();
      if (node.is_number() && v && *v >= least && *v <= 1e6) return *v;
      fail(where, fmt::format("key '{}': expected a number from {} to 1e6", key, least));
      return least;
    };
    const auto word = [&](std::initializer_list<const char*> words) -> std::string {
      const auto v = node.value_exact<std::string>();
      for (const char* w : words)
        if (v && *v == w) return w;
      fail(where, fmt::format("key '{}': expected one of {}{}", key, fmt::join(words, ", "),
                              v ? fmt::format("; got '{}'", *v) : ""));
      return *words.begin();
    };
    if (key == "c") r.c = number(1);
    else if (key == "c0") r.c0 = number(0);
    else if (key == "lam") r.lam = number(0);
    else if (key == "kap") r.kap = number(0);
    else if (key == "ftz") r.ftz = word({"allowed", "never"}) == "allowed";
    else if (key == "store") r.store = word({kStores[0], kStores[1], kStores[2], kStores[3]});
    else
      fail(where, fmt::format("key '{}' is unknown; expected {}, evidence or a dialect's table", key,
                              fmt::join(kRowKeys, ", ")));
  }

  void evidence(const std::string& name, const toml::table& t) {
    Evidence e;
    const std::string where = fmt::format("[{}.evidence]", name);
    const auto whole = [&](std::string_view key, auto& out) {
      const auto v = t[key].value_exact<std::int64_t>();
      if (!v || *v < 0) return fail(where, fmt::format("key '{}': expected a whole number", key));
      out = static_cast<std::remove_reference_t<decltype(out)>>(*v);
    };
    const auto number = [&](std::string_view key, double& out) {
      const auto v = t[key].value<double>();
      if (!t[key].is_number() || !v || !(*v >= 0))
        return fail(where, fmt::format("key '{}': expected a number of at least 0", key));
      out = *v;
    };
    const auto text = [&](std::string_view key, std::string& out) {
      const auto v = t[key].value_exact<std::string>();
      if (!v) return fail(where, fmt::format("key '{}': expected text", key));
      out = *v;
    };
    for (const auto& [node_key, node] : t) {
      const std::string_view key = node_key.str();
      if (key == "runs") whole(key, e.runs);
      else if (key == "seed") whole(key, e.seed);
      else if (key == "table_version") whole(key, e.table_version);
      else if (key == "max_ratio") number(key, e.max_ratio);
      else if (key == "p99") number(key, e.p99);
      else if (key == "twin_failed") number(key, e.twin_failed);
      else if (key == "control") text(key, e.control);
      else if (key == "twin") text(key, e.twin);
      else if (key == "device") text(key, e.device);
      else if (key == "date") text(key, e.date);
      else fail(where, fmt::format("key '{}' is unknown; expected {}", key, fmt::join(kEvidenceKeys, ", ")));
    }
    table_.evidence.emplace(name, std::move(e));
  }

  std::string file_;
  ToleranceTable table_;
};

const ToleranceTable& compiled_in() {
  static const ToleranceTable table = [] {
    ToleranceTable t = parse_tolerance_table(tolerance_table_text(), "tolerances.toml");
    if (!t.error.empty()) {  // a defect of this build: nothing could be judged
      std::fprintf(stderr, "warpfuzz: %s\n", t.error.c_str());
      std::exit(kExitInternal);
    }
    return t;
  }();
  return table;
}

}  // namespace

ToleranceTable parse_tolerance_table(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).take();
}

const ToleranceRow& tolerance_row(std::string_view op, DType out, const Dialects& d) {
  const auto& rows = compiled_in().rows;
  const std::string_view dtype = info(out).floating ? dtype_name(out) : dtype_name(DType::f32);
  const std::string base = fmt::format("{}.{}", op, dtype);
  for (const std::string& dialect : declared_dialects(d))
    if (const auto at = rows.find(fmt::format("{}.{}", base, dialect)); at != rows.end()) return at->second;
  if (const auto at = rows.find(base); at != rows.end()) return at->second;
  if (const auto at = rows.find(fmt::format("default.{}", dtype)); at != rows.end()) return at->second;
  return rows.find("default.fp32")->second;
}
const Evidence* tolerance_evidence(std::string_view row_name) {
  const auto at = compiled_in().evidence.find(row_name);
  return at == compiled_in().evidence.end() ? nullptr : &at->second;
}
int tolerance_table_version() { return compiled_in().version; }

}  // namespace warpfuzz
