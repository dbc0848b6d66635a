// Reads the comments of kernels/<target>.cu and lists files of the source tree. Paths and lists come from CMake.
#include "target_files.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "command.h"

namespace targets_test {
namespace {

std::vector<std::string> words(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::set<std::string> word_set(const std::string& text) {
  const auto list = words(text);
  return {list.begin(), list.end()};
}

}  // namespace

std::filesystem::path source_root() { return WARPFUZZ_TEST_SOURCE_ROOT; }
std::string binary(const std::string& target) { return std::string(WARPFUZZ_TEST_BIN) + "/fuzz_" + target; }
std::vector<std::string> controls() { return words(WARPFUZZ_TEST_CONTROLS); }
std::vector<std::string> planted_bugs() { return words(WARPFUZZ_TEST_PLANTED_BUGS); }
std::vector<std::string> subtle_bugs() { return words(WARPFUZZ_TEST_SUBTLE_BUGS); }

std::vector<std::string> twins() { return words(WARPFUZZ_TEST_TWINS); }

std::vector<std::string> all_targets() {
  auto all = controls();
  for (const auto& bugs : {planted_bugs(), subtle_bugs()}) all.insert(all.end(), bugs.begin(), bugs.end());
  std::sort(all.begin(), all.end());
  return all;
}

KernelNotes kernel_notes(const std::string& target) {
  std::istringstream text(read_text(source_root() / "kernels" / (target + ".cu")));
  KernelNotes notes;
  for (std::string line; std::getline(text, line);) {
    const auto after = [&](const char* label) -> const char* {
      const std::string start = std::string("// ") + label + ":";
      return line.starts_with(start) ? line.c_str() + start.size() : nullptr;
    };
    if (after("BUG")) notes.bug = true;
    if (const char* rest = after("correct-if")) notes.correct_if = rest;
    if (const char* rest = after("expect-keys")) notes.keys = word_set(rest);
    if (const char* rest = after("expect-kind")) notes.kinds = word_set(rest);
    if (const char* rest = after("expect-location")) notes.locations = word_set(rest);
  }
  return notes;
}

std::vector<std::filesystem::path> files_in(const std::string& folder, const std::string& extension) {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / folder, none))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace targets_test
