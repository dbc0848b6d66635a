// The sections of the device's variables: where they lie, and their initial values.
#include "exec/cpu/memory/device_globals.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/process/self.h"
#include "exec/cpu/memory/arena.h"

namespace warpfuzz::cpu {
namespace {

// Not identifiers: variables in such a section keep their red zones.
constexpr const char *kDevice = "warpfuzz.device", *kManaged = "warpfuzz.managed";

// The section's name has a dot, so the linker makes no symbols for its bounds: they are in the executable's headers.
DeviceGlobals find_section(const char* wanted) {
  DeviceGlobals found;
  int fd = open(kThisProgram, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0) return found;
  if (fstat(fd, &info) == 0 && info.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
    auto size = static_cast<std::size_t>(info.st_size);
    void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) {
      const char* file = static_cast<const char*>(map);
      const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
      const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header->e_shoff);
      if (header->e_shoff && header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) <= size) {
        const char* names = file + sections[header->e_shstrndx].sh_offset;
        ElfW(Addr) base = 0;
        dl_iterate_phdr(
            [](dl_phdr_info* main, std::size_t, void* to) {
              *static_cast<ElfW(Addr)*>(to) = main->dlpi_addr;  // the first one is the executable
              return 1;
            },
            &base);
        for (int i = 0; i < header->e_shnum; ++i) {
          if (std::strcmp(names + sections[i].sh_name, wanted) != 0) continue;
          found = {reinterpret_cast<char*>(base + sections[i].sh_addr), sections[i].sh_size};
        }
      }
      munmap(map, size);
    }
  }
  close(fd);
  return found;
}

struct Variables {
  explicit Variables(const char* section) : now(find_section(section)) {}
  void snapshot() {
    if (initial || !now.size) return;
    initial = new char[now.size];
    raw_copy(initial, now.begin, now.size);
  }
  // Writes only what differs: a section whose variables are all constant lies in read-only memory. Red zones lie in it too.
  __attribute__((no_sanitize("address"))) void restore() const {
    if (!initial) return;
    volatile char* to = now.begin;
    for (std::size_t i = 0; i < now.size; ++i)
      if (to[i] != initial[i]) to[i] = initial[i];
  }

  const DeviceGlobals now;
  char* initial = nullptr;
};
Variables& device() {
  static Variables v(kDevice);
  return v;
}
Variables& managed() {
  static Variables v(kManaged);
  return v;
}

}  // namespace

DeviceGlobals device_globals() { return device().now; }

void snapshot_device_globals() {
  device().snapshot();
  managed().snapshot();
}

void restore_device_globals() {
  device().restore();
  managed().restore();
}

}  // namespace warpfuzz::cpu
