// Edit distance.
#include "base/nearest_word.h"

#include <algorithm>

namespace warpfuzz {
namespace {

// Letters to insert, drop or replace until one word is the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  const std::string* best = nullptr;
  std::size_t least = 1 + word.size() / 3;
  for (const std::string& candidate : words)
    if (const std::size_t d = distance(word, candidate); d < least || (d == least && !best)) {
      least = d;
      best = &candidate;
    }
  return best ? *best : "";
}

}  // namespace warpfuzz
