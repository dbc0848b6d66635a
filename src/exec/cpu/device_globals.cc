// __device__ and __constant__ variables: every case starts from their initial values.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "exec/cpu/case.h"

namespace warpfuzz::cpu {
namespace {

constexpr const char* kSection = "warpfuzz.device";  // not an identifier: variables in it keep their red zones
struct Section {
  char* begin = nullptr;
  std::size_t size = 0;
};

// The section's name has a dot, so the linker makes no symbols for its bounds: they are in the executable's headers.
Section find_section() {
  Section found;
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
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
          if (std::strcmp(names + sections[i].sh_name, kSection) != 0) continue;
          found = {reinterpret_cast<char*>(base + sections[i].sh_addr), sections[i].sh_size};
        }
      }
      munmap(map, size);
    }
  }
  close(fd);
  return found;
}

const Section& section() {
  static Section s = find_section();
  return s;
}
char* initial = nullptr;

}  // namespace

void snapshot_device_globals() {
  if (initial || !section().size) return;
  initial = new char[section().size];
  raw_copy(initial, section().begin, section().size);
}

// Writes only what differs: a section whose variables are all constant lies in read-only memory. Red zones lie in it too.
__attribute__((no_sanitize("address"))) void restore_device_globals() {
  if (!initial) return;
  volatile char* now = section().begin;
  for (std::size_t i = 0; i < section().size; ++i)
    if (now[i] != initial[i]) now[i] = initial[i];
}

}  // namespace warpfuzz::cpu
