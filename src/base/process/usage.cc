// What a process uses of the machine, as /proc says it.
#include "base/process/usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace warpfuzz {

std::uint64_t memory_kb(pid_t pid) {
  std::FILE* f = std::fopen(fmt::format("/proc/{}/statm", static_cast<int>(pid)).c_str(), "r");
  if (!f) return 0;
  unsigned long long all = 0, resident = 0;
  const int read = std::fscanf(f, "%llu %llu", &all, &resident);
  std::fclose(f);
  return read == 2 ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024 : 0;
}

double processor_seconds(pid_t pid) {
  std::FILE* f = std::fopen(fmt::format("/proc/{}/stat", static_cast<int>(pid)).c_str(), "r");
  if (!f) return 0;
  unsigned long user = 0, system = 0;  // behind the name, which may hold anything but ends with the last ')'
  char text[1024];
  const std::size_t n = std::fread(text, 1, sizeof text - 1, f);
  std::fclose(f);
  text[n] = 0;
  const char* rest = std::strrchr(text, ')');
  if (!rest || std::sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
    return 0;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace warpfuzz
