// Splitting and joining of option text; quotes are where all of it is not plain.
#include "base/option_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/exit_codes.h"

namespace warpfuzz {
namespace {

bool is_quote(char c) { return c == '\'' || c == '"'; }

Error usage(std::string line) { return {std::move(line), kExitUsage}; }

// Reads the quoted value that `text` begins with, and moves `text` behind it.
Result<std::string> take_quoted(std::string_view& text) {
  std::string value;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != quote) {
      value += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == quote) {
      value += quote;
      ++i;
    } else {
      text.remove_prefix(i + 1);
      if (text.empty() || text[0] == ':') return value;
      return usage(fmt::format("expected ':' behind the closing {}, got '{}'", quote, text));
    }
  }
  return usage(fmt::format("expected a closing {} behind {}", quote, text));
}

std::string in_quotes(std::string_view value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string(2, c) : std::string(1, c);
  return text + "'";
}

}  // namespace

Result<std::vector<OptionPair>> split_options(std::string_view text) {
  std::vector<OptionPair> pairs;
  while (!text.empty()) {
    const std::size_t name_end = std::min(text.find_first_of(":="), text.size());
    OptionPair pair{std::string(text.substr(0, name_end)), {}};
    text.remove_prefix(name_end);
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      if (!text.empty() && is_quote(text[0])) {
        Result<std::string> value = take_quoted(text);
        if (!value) return usage(fmt::format("{}: {}", pair.name, value.line()));
        pair.value = *std::move(value);
      } else {
        pair.value = text.substr(0, text.find(':'));
        text.remove_prefix(pair.value->size());
      }
    }
    if (text.starts_with(':')) text.remove_prefix(1);
    if (!pair.name.empty() || pair.value) pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::string join_options(const std::vector<OptionPair>& pairs) {
  std::string text;
  for (const OptionPair& p : pairs) {
    if (!text.empty()) text += ':';
    text += p.name;
    if (!p.value) continue;
    const bool plain = p.value->find(':') == std::string::npos && !(p.value->size() && is_quote(p.value->front()));
    text += "=" + (plain ? *p.value : in_quotes(*p.value));
  }
  return text;
}

std::string with_options(std::string_view given, const std::vector<OptionPair>& ours) {
  Result<std::vector<OptionPair>> split = split_options(given);
  if (!split) return fmt::format("{}:{}", given, join_options(ours));
  std::vector<OptionPair>& pairs = *split;
  std::erase_if(pairs, [&](const OptionPair& p) {
    return std::any_of(ours.begin(), ours.end(), [&](const OptionPair& o) { return o.name == p.name; });
  });
  pairs.insert(pairs.end(), ours.begin(), ours.end());
  return join_options(pairs);
}

}  // namespace warpfuzz
