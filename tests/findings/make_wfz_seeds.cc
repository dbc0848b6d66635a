// Writes the seed corpus of fuzz_wfz_reader into a fresh folder: files, containers without their frame, bare headers.
#include <cstdio>
#include <filesystem>

#include "findings/container.h"
#include "samples.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_wfz_seeds FOLDER\n"), 2;
  using namespace warpfuzz;
  const std::string folder = argv[1];
  std::filesystem::remove_all(folder);
  int n = 0;
  for (const Finding& f :
       {samples::softmax_value(), samples::matmul_value(), samples::out_of_bounds(), samples::everything()}) {
    const Bytes container = pack_container(f);
    const std::size_t header = container[12] | container[13] << 8;
    const std::span<const std::uint8_t> json = std::span(container).subspan(16, header);
    const std::string name = folder + "/" + std::to_string(n++);
    for (const std::string& error :
         {write_wfz(name + ".wfz", f), write_file(name + ".container", container), write_file(name + ".json", json)}) {
      if (!error.empty()) return std::fprintf(stderr, "make_wfz_seeds: %s\n", error.c_str()), 1;
    }
  }
  return 0;
}
