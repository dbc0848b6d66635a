// Reading tolerances.toml (toml++) and choosing a row.
#define TOML_EXCEPTIONS 0
#include "oracle/tolerance_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/exit_codes.h"
#include "ops/spec.h"
#include "oracle/judge.h"

namespace warpfuzz {
namespace {

// The keys of a row, and of its evidence, by the members that they set.
constexpr std::string_view kFtzWords[] = {"allowed", "never"};
struct RowKey {
  std::string_view name;
  std::variant<double ToleranceRow::*, bool ToleranceRow::*, Store ToleranceRow::*> member;
  double least = 0;  // of numbers
};
constexpr RowKey kRowKeys[] = {
    {"c", &ToleranceRow::c, 1},  {"c0", &ToleranceRow::c0},   {"lam", &ToleranceRow::lam},
    {"kap", &ToleranceRow::kap}, {"ftz", &ToleranceRow::ftz}, {"store", &ToleranceRow::store},
};
struct EvidenceKey {
  std::string_view name;
  std::variant<std::uint64_t Evidence::*, int Evidence::*, double Evidence::*, std::string Evidence::*> member;
};
constexpr EvidenceKey kEvidenceKeys[] = {
    {"runs", &Evidence::runs},     {"max_ratio", &Evidence::max_ratio},
    {"p99", &Evidence::p99},       {"control", &Evidence::control},
    {"twin", &Evidence::twin},     {"twin_failed", &Evidence::twin_failed},
    {"device", &Evidence::device}, {"seed", &Evidence::seed},
    {"date", &Evidence::date},     {"table_version", &Evidence::table_version},
};
template <class Key, std::size_t N>
const Key* find_key(const Key (&keys)[N], std::string_view name) {
  const auto* at = std::ranges::find(keys, name, &Key::name);
  return at == std::end(keys) ? nullptr : at;
}
template <class Key, std::size_t N>
std::string names(const Key (&keys)[N]) {
  std::vector<std::string_view> list;
  for (const Key& k : keys) list.push_back(k.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

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
    for (const RowKey& key : kRowKeys)
      if (!t.contains(key.name))
        return fail(where, fmt::format("key '{}' is missing; expected {}", key.name, names(kRowKeys)));
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

  void value(ToleranceRow& r, const std::string& where, std::string_view name, const toml::node& node) {
    const RowKey* key = find_key(kRowKeys, name);
    if (!key)
      return fail(
          where, fmt::format("key '{}' is unknown; expected {}, evidence or a dialect's table", name, names(kRowKeys)));
    const Reader read{*this, where, name, node};
    std::visit([&](auto member) { read.row_value(r.*member, key->least); }, key->member);
  }

  void evidence(const std::string& name, const toml::table& t) {
    Evidence e;
    const std::string where = fmt::format("[{}.evidence]", name);
    for (const auto& [node_key, node] : t) {
      const EvidenceKey* key = find_key(kEvidenceKeys, node_key.str());
      if (!key) {
        fail(where, fmt::format("key '{}' is unknown; expected {}", node_key.str(), names(kEvidenceKeys)));
        continue;
      }
      const Reader read{*this, where, key->name, node};
      std::visit([&](auto member) { read.measured(e.*member); }, key->member);
    }
    table_.evidence.emplace(name, std::move(e));
  }

  // Reads the value of one key into a member, by the member's type.
  struct Reader {
    Parser& parser;
    const std::string& where;
    std::string_view key;
    const toml::node& node;

    void expected(const std::string& what) const {
      parser.fail(where, fmt::format("key '{}': expected {}", key, what));
    }
    void row_value(double& out, double least) const {
      const auto v = node.value<double>();
      if (!node.is_number() || !v || !(*v >= least && *v <= 1e6))
        return expected(fmt::format("a number from {} to 1e6", least));
      out = *v;
    }
    void row_value(bool& ftz, double) const {
      if (const auto i = word(kFtzWords)) ftz = kFtzWords[*i] == "allowed";
    }
    void row_value(Store& out, double) const {
      if (const auto i = word(kStoreNames)) out = static_cast<Store>(*i);
    }
    // Which of the words it is.
    std::optional<std::size_t> word(std::span<const std::string_view> words) const {
      const auto v = node.value_exact<std::string>();
      const auto at = std::find(words.begin(), words.end(), v ? std::string_view(*v) : std::string_view());
      if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
      expected(fmt::format("one of {}{}", fmt::join(words, ", "), v ? fmt::format("; got '{}'", *v) : ""));
      return {};
    }

    template <std::integral T>
    void measured(T& out) const {
      const auto v = node.value_exact<std::int64_t>();
      if (!v || *v < 0) return expected("a whole number");
      out = static_cast<T>(*v);
    }
    void measured(double& out) const {
      const auto v = node.value<double>();
      if (!node.is_number() || !v || !(*v >= 0)) return expected("a number of at least 0");
      out = *v;
    }
    void measured(std::string& out) const {
      const auto v = node.value_exact<std::string>();
      if (!v) return expected("text");
      out = *v;
    }
  };

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
