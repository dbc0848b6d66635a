// Reading the text form. The first thing that does not hold ends it with one line: where, what was expected, what was
// found.
#include <charconv>
#include <set>

#include "schema/codec/byte_tables.h"
#include "schema/codec/codec.h"
#include "schema/codec/text_form.h"
#include "schema/codec/wire.h"
#include "schema/dims.h"
#include "schema/fault.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

// A token of a file as an error line shows it: short, and without what a terminal would obey.
std::string shown(std::string_view token) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : token.substr(0, kMost)) {
    const bool plain = c >= ' ' && c <= '~';
    out += plain ? c : '?';
  }
  return token.size() > kMost ? out + "..." : out;
}

std::string_view trim(std::string_view s) {
  const auto space = [](char ch) { return ch == ' ' || ch == '\t' || ch == '\r'; };
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

// pass, a fault class, or a bucket key: target / fault class [/ kernel].
bool is_expectation(std::string_view value) {
  if (value == "pass") return true;
  const std::size_t slash = value.find('/');
  if (slash != std::string_view::npos) value = value.substr(slash + 1, value.find('/', slash + 1) - slash - 1);
  const std::optional<FaultClass> fault = fault_from_name(value);
  return fault && *fault != FaultClass::none && *fault != FaultClass::unsupported;
}

template <class T>
std::optional<T> integer(std::string_view s) {
  T v{};
  const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || r.ec != std::errc{} || r.ptr != s.data() + s.size()) return std::nullopt;
  return v;
}

template <class T, class Name>
std::string join(const T& items, Name name) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + std::string(name(item));
  return out;
}

class Parser {
 public:
  explicit Parser(const Schema& s) : s_(s) {
    out_.expect = "pass";
    out_.test_case = decode(s, {});
  }

  ParsedCase run(std::string_view text) {
    while (!text.empty() && out_.error.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_;
      line = trim(line.substr(0, line.find('#')));
      any_ = any_ || !line.empty();
      if (!line.empty()) read_line(line);
    }
    if (out_.error.empty() && !any_) line_ = 1, fail("case", "at least a line 'op: " + s_.op + "'", "an empty file");
    if (out_.error.empty()) finish();
    return std::move(out_);
  }

 private:
  void fail(const std::string& what, const std::string& expected, std::string_view got) {
    if (out_.error.empty())
      out_.error =
          "line " + std::to_string(line_) + ": " + what + ": expected " + expected + ", got '" + shown(got) + "'";
  }

  void read_line(std::string_view line) {
    const std::size_t colon = line.find(':'), bracket = line.find('[');
    if (bracket != std::string_view::npos && (colon == std::string_view::npos || bracket < colon))
      return read_override(line);
    if (colon == std::string_view::npos) return fail("line", "'key: value' or 'tensor[i,j] = value'", line);
    const std::string key(trim(line.substr(0, colon)));
    const std::string_view value = trim(line.substr(colon + 1));
    if (!seen_.insert(key).second) return fail("key '" + key + "'", "one line for it", "a second one");
    TestCase& c = out_.test_case;
    if (key == "op") {
      if (value != s_.op) fail("op", "'" + s_.op + "'", value);
    } else if (key == "expect") {
      if (!is_expectation(value))
        fail("expect", "pass, a fault class (value, special, oob-read, ...) or a key that has one", value);
      out_.expect = value;
    } else if (key == "dtype") {
      for (std::size_t i = 0; i < s_.dtypes.size(); ++i)
        if (s_.dtypes[i].name == value) {
          c.dtype = static_cast<std::uint8_t>(i);
          return;
        }
      fail("dtype", "one of " + join(s_.dtypes, [](const DTypeCombo& d) { return d.name; }), value);
    } else if (key == "calls") {
      const int most = s_.second_call ? 2 : 1;
      const auto n = integer<int>(value);
      if (!n || *n < 1 || *n > most) return fail("calls", most == 2 ? "1 or 2" : "1", value);
      c.calls = static_cast<std::uint8_t>(*n - 1);
    } else if (key == "order") {
      const auto n = integer<std::uint8_t>(value);
      if (!n) return fail("order", "0..255", value);
      c.order = *n;
    } else if (key == "tail") {
      read_tail(value);
    } else if (int i = s_.dim_index(key); i >= 0) {
      read_dim(i, value);
    } else if (i = s_.scalar_index(key); i >= 0) {
      read_scalar(i, value);
    } else if (i = s_.flag_index(key); i >= 0) {
      if (value != "true" && value != "false") return fail("flag '" + key + "'", "true or false", value);
      if (value == "true") c.flags |= static_cast<std::uint8_t>(1u << i);
    } else if (i = s_.tensor_index(key); i >= 0) {
      read_recipe(i, value);
    } else {
      fail("key", known_keys(), key);
    }
  }

  std::string known_keys() const {
    const auto name = [](const auto& x) { return x.name; };
    std::string out = "one of op, expect, dtype, calls, order, tail";
    for (const std::string& part :
         {join(s_.dims, name), join(s_.scalars, name), join(s_.flags, name), join(s_.tensors, name)})
      if (!part.empty()) out += ", " + part;
    return out;
  }

  void read_dim(int i, std::string_view value) {
    const DimSpec& d = s_.dims[static_cast<std::size_t>(i)];
    if (d.derive) return fail("dim '" + d.name + "'", "no line, since it follows from the other dims", value);
    std::string range = std::to_string(smallest_dim(d)) + ".." + std::to_string(largest_dim(d));
    if (d.multiple_of > 1) range += ", a multiple of " + std::to_string(d.multiple_of);
    const std::size_t at = value.find(" from ");
    const auto n = integer<std::uint32_t>(trim(value.substr(0, at)));
    if (!n || clamp_dim(d, *n) != *n) return fail("dim '" + d.name + "'", range, value);
    out_.test_case.dims[static_cast<std::size_t>(i)] = *n;
    given_dims_ |= 1u << i;
    if (at == std::string_view::npos) return;
    const auto from = integer<std::uint16_t>(trim(value.substr(at + 6)));
    if (!from || *from > largest_from(d, *n))
      return fail("dim '" + d.name + "', from", "0.." + std::to_string(largest_from(d, *n)), value.substr(at + 6));
    out_.test_case.from[static_cast<std::size_t>(i)] = *from;
    if (*from) begun_.push_back({static_cast<std::size_t>(i), line_});
  }

  void read_scalar(int i, std::string_view value) {
    const ScalarSpec& v = s_.scalars[static_cast<std::size_t>(i)];
    const auto x = text::read_number(value);
    for (std::size_t k = 0; x && k < v.values.size(); ++k)
      if (v.values[k] == *x) {
        out_.test_case.scalars[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(k);
        return;
      }
    fail("scalar '" + v.name + "'", "one of " + join(v.values, text::number), value);
  }

  void read_tail(std::string_view value) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < value.size(); i += 2) {
      std::uint8_t b = 0;
      const auto r = std::from_chars(value.data() + i, value.data() + std::min(i + 2, value.size()), b, 16);
      if (r.ec != std::errc{} || r.ptr != value.data() + i + 2)
        return fail("tail", "pairs of hexadecimal digits", value);
      bytes.push_back(b);
    }
    out_.test_case.tail = std::move(bytes);
  }

  void read_recipe(int i, std::string_view value) {
    const auto t = static_cast<std::size_t>(i);
    const TensorSpec& spec = s_.tensors[t];
    const std::string what = "tensor '" + spec.name + "'";
    TensorRecipe r;
    while (!(value = trim(value)).empty()) {
      const std::size_t end = std::min(value.find_first_of(" \t"), value.size());
      const std::string_view word = value.substr(0, end);
      value.remove_prefix(end);
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) read_word(i, what, word, r);
      else read_attribute(what, word.substr(0, equals), word.substr(equals + 1), r);
      if (!out_.error.empty()) return;
    }
    out_.test_case.tensors[t] = r;
    asked_.push_back({t, line_, r});
  }

  void read_word(int i, const std::string& what, std::string_view word, TensorRecipe& r) {
    const TensorSpec& spec = s_.tensors[static_cast<std::size_t>(i)];
    if (word == "present") return;
    if (word == "absent") {
      if (!spec.optional) return fail(what, "contents, since it is not optional", word);
      r.present = false;
      return;
    }
    if (spec.role != Role::in && spec.role != Role::inout)
      return fail(what, "present, absent or layout=..., since it is no input", word);
    for (int f = 0; f < kFillCount; ++f)
      if (word == fill_name(static_cast<Fill>(f)) &&
          fill_of(s_, i, fill_byte(static_cast<Fill>(f))) == static_cast<Fill>(f)) {
        r.fill = fill_byte(static_cast<Fill>(f));
        return;
      }
    std::string names;
    for (int f = 0; f < kFillCount; ++f)
      if (fill_of(s_, i, fill_byte(static_cast<Fill>(f))) == static_cast<Fill>(f))
        names += std::string(names.empty() ? "" : ", ") + fill_name(static_cast<Fill>(f));
    fail(what, "one of " + names, word);
  }

  void read_attribute(const std::string& what, std::string_view key, std::string_view v, TensorRecipe& r) {
    const std::string where = what + ", " + std::string(key);
    if (key == "amp") {
      const auto e = integer<int>(v.starts_with("2^") ? v.substr(2) : std::string_view{});
      if (!e || amp_exponent(amp_byte(*e)) != *e) return fail(where, "2^-20..2^13", v);
      r.amp = amp_byte(*e);
    } else if (key == "param") {
      const auto n = integer<std::uint8_t>(v);
      if (!n) return fail(where, "0..255", v);
      r.param = *n;
    } else if (key == "rate") {
      const auto n = integer<int>(v);
      if (!n || *n < 0 || rate_of(rate_byte(*n)) != *n)
        return fail(where, "0, 1, 2, 4, 8, 16, 32, 64, 128 or 255 specials in 256", v);
      r.rate = rate_byte(*n);
    } else if (key == "seed") {
      const auto n = integer<std::uint32_t>(v);
      if (!n) return fail(where, "0..4294967295", v);
      r.seed = *n;
    } else if (key == "layout") {
      for (int l = 0; l < 4; ++l)
        if (v == layout_name(static_cast<Layout>(l))) {
          r.layout = static_cast<Layout>(l);
          return;
        }
      fail(where, "contiguous, offset, padded or stride0", v);
    } else {
      fail(what, "amp=, param=, rate=, seed= or layout=", key);
    }
  }

  void read_override(std::string_view line) {
    const std::size_t open = line.find('['), close = line.find(']', open);
    const std::size_t equals = close == std::string_view::npos ? close : line.find('=', close);
    if (equals == std::string_view::npos || !trim(line.substr(close + 1, equals - close - 1)).empty())
      return fail("override", "'tensor[i,j] = value'", line);
    const std::string name(trim(line.substr(0, open)));
    const int t = s_.tensor_index(name);
    if (t < 0 || (s_.tensors[static_cast<std::size_t>(t)].role != Role::in &&
                  s_.tensors[static_cast<std::size_t>(t)].role != Role::inout))
      return fail("override", "the name of an input tensor", name);
    Override o;
    o.tensor = static_cast<std::uint8_t>(t);
    const std::size_t rank = std::min<std::size_t>(s_.tensors[o.tensor].shape.size(), 4);
    std::string_view coordinates = line.substr(open + 1, close - open - 1);
    std::size_t n = 0;
    while (!trim(coordinates).empty() && n <= rank) {
      const std::size_t comma = coordinates.find(',');
      const std::string_view word = trim(coordinates.substr(0, comma));
      coordinates = comma == std::string_view::npos ? std::string_view{} : coordinates.substr(comma + 1);
      const auto v = integer<int>(word);
      if (n < rank && n + 1 == rank && word == "*") o.flags |= wire::kWholeRow;
      else if (!v || *v > 0xffff || *v < -0x10000)
        return fail("coordinate of '" + name + "'", "a whole number, or * as the last one", word);
      else if (n < rank && *v >= 0) o.at[n] = static_cast<std::uint16_t>(*v);
      else if (n < rank) {
        o.at[n] = static_cast<std::uint16_t>(-1 - *v);
        o.flags |= static_cast<std::uint8_t>(1u << n);
      }
      ++n;
    }
    if (n != rank)
      return fail("override of '" + name + "'", std::to_string(rank) + " coordinates",
                  line.substr(open, close + 1 - open));
    const std::string_view value = trim(line.substr(equals + 1));
    if (std::string hint; !text::read_override_value(value, o, hint))
      return fail("value of '" + name + "'", hint, value);
    if (overrides_.size() == wire::kMaxOverrides) return fail("override", "at most 64 of them", "one more");
    overrides_.push_back({line_, o});
  }

  // What the schema would quietly repair is an error here: a reviewed file means what it says.
  void finish() {
    TestCase& c = out_.test_case;
    const Dims asked = c.dims;
    if (!fit_dims(s_, c.dims) || differs(asked, c.dims)) {
      std::string got, nearest;
      for (std::size_t i = 0; i < s_.dims.size(); ++i) {
        if (s_.dims[i].derive) continue;
        got += (got.empty() ? "" : " ") + s_.dims[i].name + "=" + std::to_string(asked[i]);
        nearest += (nearest.empty() ? "" : " ") + s_.dims[i].name + "=" + std::to_string(c.dims[i]);
      }
      std::string rules =
          std::to_string(s_.max_elements) + " elements, " + std::to_string(s_.max_work) + " units of work";
      for (const Constraint& k : s_.constraints) rules += ", " + k.text;
      return fail("dims", "within " + rules + " (nearest: " + nearest + ")", got);
    }
    for (const auto& [line, o] : overrides_) {
      line_ = line;
      const TensorSpec& t = s_.tensors[o.tensor];
      if (!c.tensors[o.tensor].present)
        return fail("override", "a tensor that is present (add '" + t.name + ": ...')", t.name);
      const std::size_t skip = t.shape.size() > 4 ? t.shape.size() - 4 : 0;
      for (std::size_t i = 0; i + skip < t.shape.size(); ++i) {
        const std::uint32_t n = extent(c.dims, t.shape[i + skip]);
        if (o.at[i] < n) continue;
        const bool end = o.flags >> i & 1;
        return fail("coordinate " + std::to_string(i) + " of '" + t.name + "'",
                    std::to_string(-static_cast<int>(n)) + ".." + std::to_string(static_cast<int>(n) - 1),
                    std::to_string(end ? -1 - static_cast<int>(o.at[i]) : static_cast<int>(o.at[i])));
      }
      c.overrides.push_back(o);
    }
    const auto from = c.from;
    repair(s_, c);
    for (const Asked& a : asked_) check_recipe(a);
    for (const auto& [dim, line] : begun_) {
      line_ = line;
      if (c.from[dim] != from[dim])
        return fail("dim '" + s_.dims[dim].name + "', from", "0, since no fill differs along it",
                    std::to_string(from[dim]));
    }
  }

  struct Asked {
    std::size_t tensor;
    int line;
    TensorRecipe recipe;
  };

  void check_recipe(const Asked& a) {
    const TensorRecipe& got = out_.test_case.tensors[a.tensor];
    const TensorSpec& spec = s_.tensors[a.tensor];
    line_ = a.line;
    const std::string what = "tensor '" + spec.name + "'";
    if (a.recipe.layout != got.layout)
      return fail(what + ", layout", "one that the kernel supports", layout_name(a.recipe.layout));
    if (a.recipe.param != got.param && spec.type != TensorType::index32 && spec.type != TensorType::index64) {
      const Fill f = fill_of(s_, static_cast<int>(a.tensor), a.recipe.fill);
      const int most = fill_traits(f, 0, tensor_dtype(s_, out_.test_case, static_cast<int>(a.tensor))).params - 1;
      fail(what + ", param of " + fill_name(f), "0.." + std::to_string(most), std::to_string(a.recipe.param));
    }
  }

  // Dims that the text leaves open may move; those that it names may not.
  bool differs(const Dims& asked, const Dims& got) const {
    for (std::size_t i = 0; i < s_.dims.size(); ++i)
      if ((given_dims_ >> i & 1) && asked[i] != got[i]) return true;
    return false;
  }

  const Schema& s_;
  ParsedCase out_;
  int line_ = 0;
  bool any_ = false;  // a line that says something
  unsigned given_dims_ = 0;
  std::set<std::string> seen_;
  std::vector<std::pair<int, Override>> overrides_;
  std::vector<Asked> asked_;
  std::vector<std::pair<std::size_t, int>> begun_;  // dims whose contents begin elsewhere than at 0, and their lines
};

}  // namespace

ParsedCase parse_text(const Schema& s, std::string_view text) { return Parser(s).run(text); }

}  // namespace warpfuzz
