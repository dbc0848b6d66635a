#include "process/child_processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/process/self.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

// A process is the child of the thread that started it.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(parent) + "/task", error)) {
    std::ifstream in(thread.path() / "children");
    for (pid_t child = 0; in >> child;) children.push_back(child);
  }
  return children;
}

// The target's binary, not a shell in between or a symbolizer: these end by themselves.
bool is_target(pid_t pid) {
  std::error_code error;
  static const fs::path self = this_program();
  return fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", error) == self;
}

bool alive(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(in, text)) return false;
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || text[name_end + 2] != 'Z';
}

}  // namespace

std::vector<pid_t> descendants() {
  std::vector<pid_t> all = children_of(getpid());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<pid_t> next = children_of(all[i]);
    all.insert(all.end(), next.begin(), next.end());
  }
  std::erase_if(all, [](pid_t pid) { return !alive(pid) || !is_target(pid); });
  return all;
}

bool none_alive(const std::vector<pid_t>& pids) { return std::none_of(pids.begin(), pids.end(), alive); }

void tell(const std::vector<pid_t>& pids, int signal, int value) {
  for (const pid_t pid : pids) {
    sigval sent{};
    sent.sival_int = value;
    sigqueue(pid, signal, sent);
  }
}

}  // namespace warpfuzz
