#include "engine/family.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warpfuzz {
namespace {

using nlohmann::json;

constexpr const char* kVariable = "WARPFUZZ_FAMILY";

std::string line_of(const Tally& counted) {
  json line;
  for_each_count(counted, [&](const char* name, const auto& n) { line[name] = n; });
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void add(std::uint64_t& sum, std::uint64_t n) { sum += n; }
void add(double& largest, double n) { largest = std::max(largest, n); }
void add(Dims& largest, const Dims& n) {
  for (std::size_t i = 0; i < n.size(); ++i) largest[i] = std::max(largest[i], n[i]);
}
void add(std::uint64_t (&sum)[kReasonCount], const std::vector<std::uint64_t>& n) {
  for (std::size_t i = 0; i < std::min(n.size(), std::size(sum)); ++i) sum[i] += n[i];
}
void add(std::map<std::string, std::uint64_t>& sum, const std::map<std::string, std::uint64_t>& n) {
  for (const auto& [name, count] : n) sum[name] += count;
}

void add_line(Tally& total, const std::string& text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) return;  // cut off, as its process was
  for_each_count(total, [&](const char* name, auto& sum) {
    using Count = std::remove_reference_t<decltype(sum)>;
    if constexpr (std::is_array_v<Count>) add(sum, line.at(name).template get<std::vector<std::uint64_t>>());
    else add(sum, line.at(name).template get<Count>());
  });
}

}  // namespace

void tell_family(const Tally& counted) {
  const char* file = std::getenv(kVariable);
  if (!file || !*file || !counted.executions) return;
  const int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;  // the parent is gone
  const std::string line = line_of(counted);
  if (write(fd, line.data(), line.size()) < 0) {}  // a full disk: the summary lacks this process
  close(fd);
}

std::string start_family() {
  const char* base = std::getenv("TMPDIR");
  const std::string file = fmt::format("{}/warpfuzz-{}.tally", base && *base ? base : "/tmp", getpid());
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return {};
  close(fd);
  setenv(kVariable, file.c_str(), 1);
  return file;
}

Tally family_total(const std::string& file) {
  Tally total;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) add_line(total, line);
  unlink(file.c_str());
  return total;
}

}  // namespace warpfuzz
