// The steps in order, and applying their edits.
#include "toolchain/rewriter/rewrite.h"

#include <algorithm>

#include "toolchain/rewriter/passes.h"
#include "toolchain/rewriter/unsupported.h"

namespace warpfuzz::rewrite {

std::string Edits::apply() {
  std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.order < b.order;
  });
  std::string out;
  out.reserve(t_.text.size() + t_.text.size() / 16);
  std::size_t at = 0;
  for (const Edit& e : edits_) {
    out.append(t_.text.substr(at, e.offset > at ? e.offset - at : 0));
    out += e.text;
    at = std::max<std::size_t>(at, std::size_t{e.offset} + e.length);
  }
  out.append(t_.text.substr(at));
  return out;
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string flat_text(const TokenText& t, std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first && !t.adjacent(i - 1)) out += ' ';
    out += t.str(i);
  }
  return out;
}

Rewritten rewrite(std::string_view preprocessed, const ReadFile& read) {
  const std::string spread = spread_macro_lines(preprocessed, read);
  return rewrite(spread);
}

Rewritten rewrite(std::string_view preprocessed) {
  const TokenText t = tokenize(preprocessed);
  const Scopes scopes = find_scopes(t);
  reject_unsupported(t, scopes);
  Edits edits(t);
  Rewritten out;
  out.launches = rewrite_launches(t, edits);
  out.shared = rewrite_shared(t, scopes, edits);
  out.device_variables = rewrite_device_variables(t, scopes, edits);
  out.text = edits.apply();
  return out;
}

}  // namespace warpfuzz::rewrite
