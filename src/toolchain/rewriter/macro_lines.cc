// Finds the lines that the preprocessor has folded, and breaks them.
#include "toolchain/rewriter/macro_lines.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "toolchain/rewriter/align.h"
#include "toolchain/rewriter/edits.h"
#include "toolchain/rewriter/original.h"

namespace warpfuzz::rewrite {
namespace {

constexpr std::uint32_t kNoLine = 0xffffffffu;
constexpr std::size_t kBeginning = 4;      // tokens by which a line is known
constexpr std::int64_t kMostNewlines = 8;  // beyond that a marker is shorter; as clang has it

// A token of the user's files, where the preprocessed text has it.
struct Place {
  std::size_t token;
  const Span* span;
  std::uint32_t line;       // newlines between tokens counted
  std::uint32_t in_tokens;  // newlines since the marker inside of raw strings: clang forgets to count them
  bool breaks;              // first on its line
};

// Text that an inserted newline between two tokens cannot change: no operator may be torn, no directive made.
bool separable(const TokenText& t, std::size_t token, bool breaks) {
  static constexpr std::string_view directives[] = {"#", "import", "module", "export"};
  if (std::find(std::begin(directives), std::end(directives), t.str(token)) != std::end(directives)) return false;
  if (t.is(token, '%') && t.adjacent(token)) return false;  // %: is a #
  if (breaks || !t.adjacent(token - 1)) return true;
  const auto alone = [&](std::size_t i) {
    return t.tokens[i].length == 1 && std::string_view("()[]{},;").find(t.tokens[i].first) != std::string_view::npos;
  };
  return alone(token - 1) || alone(token);
}

class Spreader {
 public:
  Spreader(const TokenText& t, const ReadFile& read) : t_(t), read_(read), edits_(t) {}

  std::string run() {
    collect();
    for (std::size_t first = 0; first < places_.size();) {
      std::size_t last = first + 1;
      const Original* file = original(places_[first].span->file);
      while (last < places_.size() && (same_line(first, last) || (file && goes_on(*file, first, last)))) ++last;
      if (file) spread(*file, first, last);
      first = last;
    }
    return edits_.apply();
  }

 private:
  void collect() {
    std::size_t i = 0;
    for (std::size_t s = 0; s < t_.spans.size(); ++s) {
      const Span& span = t_.spans[s];
      const std::size_t end = s + 1 < t_.spans.size() ? t_.spans[s + 1].offset : t_.text.size();
      while (i < t_.size() && t_.tokens[i].offset < span.offset) ++i;
      if (span.system || t_.files[span.file].starts_with('<')) continue;
      Place place{0, &span, span.line, 0, true};
      for (std::size_t at = span.offset; i < t_.size() && t_.tokens[i].offset < end; ++i) {
        const Token& token = t_.tokens[i];
        const std::uint32_t newlines = count_lines(at, token.offset);
        at = token.offset + token.length;
        place.token = i;
        place.line += newlines;
        place.breaks = newlines > 0 || places_.empty() || places_.back().span != &span;
        places_.push_back(place);
        place.in_tokens += newlines_in(i);
      }
    }
  }

  std::uint32_t count_lines(std::size_t from, std::size_t to) const {
    const std::string_view text = t_.text.substr(from, to - from);
    return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::uint32_t newlines_in(std::size_t token) const {
    const Token& k = t_.tokens[token];
    return k.kind == TokenKind::string ? count_lines(k.offset, k.offset + k.length) : 0;
  }

  // The line that the preprocessor means.
  std::uint32_t line(const Place& p) const { return p.line + (counts_in_tokens_ ? p.in_tokens : 0); }

  // A #pragma from inside of an argument breaks an expansion; the marker behind it names the expansion's line again.
  bool same_line(std::size_t first, std::size_t next) const {
    const Place &a = places_[first], &b = places_[next];
    if (a.span->file != b.span->file) return false;
    return b.breaks ? a.span != b.span && line(a) == line(b) : true;
  }

  // Where one invocation ends on the line on which another begins, the other's later lines are written onto that line: it begins in
  // the text with other tokens than in the file.
  bool goes_on(const Original& file, std::size_t first, std::size_t next) const {
    const Place &a = places_[first], &b = places_[next];
    if (a.span != b.span || line(b) <= line(a)) return false;
    const std::size_t from = file.first_on(line(a)), other = file.first_on(line(b));
    if (from == file.tokens().size() || other == file.tokens().size()) return false;
    const std::size_t to = file.end_of_folded(from, line(b) + 1);
    return to > other && !alike(file, other, next);
  }

  bool alike(const Original& file, std::size_t token, std::size_t place) const {
    for (std::size_t i = 0; i < kBeginning; ++i) {
      if (token + i >= file.tokens().size() || place + i >= places_.size()) return true;
      if (file.tokens()[token + i] != t_.str(places_[place + i].token)) return false;
    }
    return true;
  }

  const Original* original(std::uint32_t file) {
    const auto [entry, added] = originals_.try_emplace(file);
    if (!added) return entry->second.get();
    try {
      if (std::optional<std::string> text = read_(t_.files[file])) {
        entry->second = std::make_unique<Original>(std::move(*text));
      }
    } catch (const RewriteError&) {  // no C++: the stream keeps its lines
    }
    return entry->second.get();
  }

  bool begins(const Original& file, std::uint32_t line, const Place& p) const {
    const std::size_t first = file.first_on(line);
    return first < file.tokens().size() && file.tokens()[first] == t_.str(p.token);
  }

  // The places [first, last) are one line of the text.
  void spread(const Original& file, std::size_t first, std::size_t last) {
    const Place& p = places_[first];
    if (p.in_tokens > 0) {
      const bool without = begins(file, p.line, p), with = begins(file, p.line + p.in_tokens, p);
      if (without != with) counts_in_tokens_ = with;
    }
    const std::uint32_t here = line(p);
    std::uint32_t next = kNoLine;
    if (last < places_.size() && places_[last].span->file == p.span->file) next = line(places_[last]);
    if (next <= here) next = kNoLine;
    const std::size_t from = file.first_on(here);
    if (next == here + 1 || from == file.tokens().size()) return put(first, last, here, {}, file, from);
    const std::size_t to = file.end_of_folded(from, next);
    if (to == from || file.line(to - 1) == here) return put(first, last, here, {}, file, from);

    std::vector<std::string_view> expanded;
    for (std::size_t k = first; k < last; ++k) expanded.push_back(t_.str(places_[k].token));
    put(first, last, here, align(std::span(file.tokens()).subspan(from, to - from), expanded), file, from);
  }

  // Breaks the line so that each token stands on the line from which it comes; one that comes from nowhere follows the one before it.
  void put(std::size_t first, std::size_t last, std::uint32_t here, const std::vector<std::uint32_t>& origin,
           const Original& file, std::size_t from) {
    std::int64_t want = here;
    for (std::size_t k = first; k < last; ++k) {
      const Place& p = places_[k];
      if (p.span != span_) shift_ = 0;
      span_ = p.span;
      if (k > first) want += newlines_in(places_[k - 1].token);
      if (!origin.empty() && origin[k - first] != kNotFromOriginal) want = file.line(from + origin[k - first]);
      const std::int64_t now = std::int64_t{p.line} + p.in_tokens + shift_;
      if (now == want || !separable(t_, p.token, p.breaks)) continue;
      edits_.insert_before(p.token, line_break(want - now, want, p));
      shift_ += want - now;
    }
  }

  std::string line_break(std::int64_t newlines, std::int64_t line, const Place& p) const {
    if (newlines > 0 && newlines <= kMostNewlines) return std::string(static_cast<std::size_t>(newlines), '\n');
    return (p.breaks ? "# " : "\n# ") + std::to_string(line) + " " + quoted(t_.files[p.span->file]) + "\n";
  }

  const TokenText& t_;
  const ReadFile& read_;
  Edits edits_;
  std::vector<Place> places_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Original>> originals_;
  const Span* span_ = nullptr;  // of the last place; shift_ holds until the next marker
  std::int64_t shift_ = 0;      // line of the new text minus line of the old one
  bool counts_in_tokens_ = false;
};

}  // namespace

std::string spread_macro_lines(std::string_view preprocessed, const ReadFile& read) {
  const TokenText t = lex(preprocessed);
  return Spreader(t, read).run();
}

}  // namespace warpfuzz::rewrite
