#include "pipeline/line_table.h"

// Absent in a binary without such tables.
extern "C" {
extern const warpfuzz::LineRecord __start_warpfuzz_lines[] __attribute__((weak));
extern const warpfuzz::LineRecord __stop_warpfuzz_lines[] __attribute__((weak));
}

namespace warpfuzz {

std::span<const LineRecord> line_records() {
  if (!__start_warpfuzz_lines) return {};
  return {__start_warpfuzz_lines, static_cast<std::size_t>(__stop_warpfuzz_lines - __start_warpfuzz_lines)};
}

LinesReached::LinesReached(std::span<const LineRecord> records, const std::string& own_file) {
  bool others = false;
  for (const LineRecord& r : records) others |= r.file != own_file;
  for (const LineRecord& r : records)
    if (!others || r.file != own_file) waiting_.push_back({r.counter, &files_[r.file][r.line]});
}

void LinesReached::add() {
  for (const Waiting& w : waiting_) *w.reached |= *w.counter != 0;
  std::erase_if(waiting_, [](const Waiting& w) { return *w.reached; });
}

}  // namespace warpfuzz
