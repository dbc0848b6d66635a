#include "process/screen.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

extern "C" void __asan_set_error_report_callback(void (*)(const char*)) __attribute__((weak));

namespace warpfuzz {

std::string log_beside(const std::string& reproducer) {
  return std::filesystem::path(reproducer).replace_extension(".log").string();
}

bool leave_screen(const std::string& file, const std::string& last) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::fwrite(last.data(), 1, last.size(), stderr);
  std::fflush(stderr);
  dup2(fd, STDERR_FILENO);
  close(fd);
  return true;
}

bool print_after_sanitizer(std::string text) {
  if (!__asan_set_error_report_callback) return false;
  static std::string& waiting = *new std::string;  // the process ends without destructors
  waiting = std::move(text);
  __asan_set_error_report_callback([](const char*) { leave_screen("/dev/null", waiting); });
  return true;
}

}  // namespace warpfuzz
