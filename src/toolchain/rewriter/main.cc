// warpfuzz-rewrite IN OUT: a step of the compile pipeline, between the preprocessor and the compiler. "-" is standard
// input or output. Exit codes: 0, 1 a construct that is not supported (one line on standard error), 2 usage or files.
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "toolchain/rewriter/lexer.h"
#include "toolchain/rewriter/rewrite.h"

namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

bool read_all(const char* path, std::string& text) {
  File owned(std::strcmp(path, "-") ? std::fopen(path, "rb") : nullptr);
  std::FILE* in = std::strcmp(path, "-") ? owned.get() : stdin;
  if (!in) return false;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;) text.append(buffer, n);
  return !std::ferror(in);
}

bool write_all(const char* path, const std::string& text) {
  if (!std::strcmp(path, "-"))
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && !std::fflush(stdout);
  std::FILE* out = std::fopen(path, "wb");
  if (!out) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return !std::fclose(out) && written;
}

std::optional<std::string> source_text(std::string_view path) {
  std::string text;
  if (!read_all(std::string(path).c_str(), text)) return std::nullopt;
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const bool stats = argc == 4 && !std::strcmp(argv[3], "--stats");
  if (argc != 3 && !stats) {
    std::fprintf(stderr, "usage: warpfuzz-rewrite IN.ii OUT.ii [--stats]   (- is standard input or output)\n");
    return 2;
  }
  std::string text;
  if (!read_all(argv[1], text)) {
    std::fprintf(stderr, "warpfuzz-rewrite: error: can't read %s: %m\n", argv[1]);
    return 2;
  }
  try {
    const warpfuzz::rewrite::Rewritten result = warpfuzz::rewrite::rewrite(text, source_text);
    if (!write_all(argv[2], result.text)) {
      std::fprintf(stderr, "warpfuzz-rewrite: error: can't write %s: %m\n", argv[2]);
      return 2;
    }
    if (stats) {
      std::fprintf(stderr, "%zu launches, %zu shared variables, %zu device variables\n", result.launches, result.shared,
                   result.device_variables);
    }
  } catch (const warpfuzz::rewrite::RewriteError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
