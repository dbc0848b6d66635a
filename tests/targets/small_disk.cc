#include "small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

namespace targets_test {
namespace {

// A namespace in which this user is root and mounts are its own. False where the system forbids it.
bool enter_own_namespace() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return getuid() == 0;
}

}  // namespace

SmallDisk::SmallDisk(std::filesystem::path folder, const std::string& size) : folder_(std::move(folder)) {
  const auto mount_it = [&] { return mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0; };
  mounted_ = mount_it() || (enter_own_namespace() && mount_it());
}

SmallDisk::~SmallDisk() {
  if (mounted_) umount(folder_.c_str());
}

}  // namespace targets_test
