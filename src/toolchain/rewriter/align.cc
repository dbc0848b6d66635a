// The alignment: greedy, with a bounded search for the next run of equal tokens.
#include "toolchain/rewriter/align.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

namespace warpfuzz::rewrite {
namespace {

constexpr std::size_t kExpandedAhead = 1024, kOriginalAhead = 512;  // tokens that a search looks at
constexpr int kNear = 32;                                           // tokens of the original
// A run's weight: 2 for a word, 1 for punctuation. A few tokens are proof enough nearby; far away, or back in an argument that the
// expansion has a second time, it takes more.
constexpr int kNearWeight = 4, kFarWeight = 10;

bool word(std::string_view s) {
  const auto c = static_cast<unsigned char>(s[0]);
  return std::isalnum(c) || c == '_' || c == '"' || c == '\'' || c == '$' || c >= 0x80;
}

struct Meeting {
  std::size_t expanded, original;
};

class Aligner {
 public:
  Aligner(std::span<const std::string_view> original, std::span<const std::string_view> expanded)
      : o_(original),
        e_(expanded),
        from_(expanded.size(), kNotFromOriginal),
        depth_o_(depths(original)),
        depth_e_(depths(expanded)) {
    for (std::uint32_t i = 0; i < o_.size(); ++i) {
      if (word(o_[i])) words_[o_[i]].push_back(i);
    }
  }

  std::vector<std::uint32_t> run() {
    std::size_t e = 0, o = 0;
    while (e < e_.size()) {
      const bool equal = o < o_.size() && e_[e] == o_[o];
      if (equal && !inside_of_macro(e, o)) {
        from_[e++] = static_cast<std::uint32_t>(o++);
        continue;
      }
      if (!equal) left_ = {e, o};
      const std::optional<Meeting> next = meet(e, o);
      const Meeting end = next.value_or(Meeting{e_.size(), o});
      const Meeting begin = statement({e, o}, end);
      attribute(e, begin.expanded, o);
      attribute(begin.expanded, end.expanded, begin.original);
      if (equal && end.expanded == e) left_ = {e, o};  // brackets that do not pair
      e = end.expanded;
      o = end.original;
    }
    return std::move(from_);
  }

 private:
  // `CHECK(a);` ends at its own semicolon, not at one between the braces of what CHECK stands for.
  bool inside_of_macro(std::size_t e, std::size_t o) const {
    return o_[o] == ";" && depth_o_[o] == depth_o_[left_.original] && depth_e_[e] > depth_e_[left_.expanded];
  }

  // Brackets open before each token, and at the end.
  static std::vector<int> depths(std::span<const std::string_view> tokens) {
    std::vector<int> out = {0};
    for (std::string_view s : tokens) out.push_back(out.back() + opens(s));
    return out;
  }
  static int opens(std::string_view s) {
    if (s == "(" || s == "{" || s == "[") return 1;
    return s == ")" || s == "}" || s == "]" ? -1 : 0;
  }

  // Tokens of the expansion [first, last) that are not there in the original stand for the macro whose name `original` is.
  void attribute(std::size_t first, std::size_t last, std::size_t original) {
    if (original >= o_.size() || !word(o_[original])) return;
    for (std::size_t i = first; i < last; ++i) from_[i] = static_cast<std::uint32_t>(original);
  }

  // Between two meetings one macro can end and the next begin: behind the last semicolon of both that is in the fewest braces.
  Meeting statement(Meeting from, Meeting to) const {
    std::size_t o = to.original;
    while (o > from.original && o_[o - 1] != ";") --o;
    if (o <= from.original) return from;
    std::optional<std::size_t> last;
    int least = 0;
    for (std::size_t i = from.expanded; i < to.expanded; ++i) {
      if (e_[i] != ";" || (last && depth_e_[i] > least)) continue;
      last = i + 1;
      least = depth_e_[i];
    }
    return last ? Meeting{*last, o} : from;
  }

  // The first place from (e, o) on where both go on alike; of several places of the original, the nearest.
  std::optional<Meeting> meet(std::size_t e, std::size_t o) const {
    const std::size_t end = std::min(e_.size(), e + kExpandedAhead);
    for (std::size_t i = e; i < end; ++i) {
      if (!word(e_[i])) continue;
      const auto places = words_.find(e_[i]);
      if (places == words_.end()) continue;
      std::optional<Meeting> best;
      std::size_t best_distance = kOriginalAhead + 1;
      const std::size_t lowest = o > kOriginalAhead ? o - kOriginalAhead : 0;
      for (auto p = std::lower_bound(places->second.begin(), places->second.end(), lowest);
           p != places->second.end() && *p <= o + kOriginalAhead; ++p) {
        const std::size_t distance = *p < o ? o - *p : *p - o;
        if (distance >= best_distance) continue;
        const Meeting start = run_start({i, *p}, {e, *p < o ? 0 : o});
        const bool near = *p >= o && distance <= kNear;
        if (!heavy(start, near ? kNearWeight : kFarWeight)) continue;
        best = start;
        best_distance = distance;
      }
      if (best) return best;
    }
    return std::nullopt;
  }

  // Back over equal tokens, but not before `limit`.
  Meeting run_start(Meeting at, Meeting limit) const {
    while (at.expanded > limit.expanded && at.original > limit.original && e_[at.expanded - 1] == o_[at.original - 1]) {
      --at.expanded;
      --at.original;
    }
    return at;
  }

  // Alike for long enough, or to the end of the expansion.
  bool heavy(Meeting at, int needed) const {
    for (; needed > 0 && at.expanded < e_.size() && at.original < o_.size(); ++at.expanded, ++at.original) {
      if (e_[at.expanded] != o_[at.original]) return false;
      needed -= word(e_[at.expanded]) ? 2 : 1;
    }
    return needed <= 0 || at.expanded == e_.size();
  }

  std::span<const std::string_view> o_, e_;
  std::vector<std::uint32_t> from_;
  std::vector<int> depth_o_, depth_e_;
  Meeting left_ = {0, 0};  // where the two parted last
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> words_;
};

}  // namespace

std::vector<std::uint32_t> align(std::span<const std::string_view> original,
                                 std::span<const std::string_view> expanded) {
  return Aligner(original, expanded).run();
}

}  // namespace warpfuzz::rewrite
