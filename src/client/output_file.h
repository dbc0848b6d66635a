// Files that a person names on the command line to be written: -o, --cu, --npz, --html, --sarif, --junit, --write. "-" is
// standard output.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/context.h"

namespace warpfuzz::cli {

struct NamedOutput {
  std::string option, path;  // option: as it is typed, "--cu"; path: empty where it was not given
  bool given() const { return !path.empty(); }
  bool standard() const { return path == "-"; }
};

// Before any work is done: a Failure where an output would overwrite one of `inputs` (the same file, by whatever name or
// link), where two outputs are one file, where more than one thing goes to standard output, or where the folder of an
// output is missing.
void check_outputs(const Context& c, const std::vector<NamedOutput>& outputs, const std::vector<std::string>& inputs);

// Whole or not at all, into a folder that is there; "-" is printed.
void write_output(const std::string& path, std::span<const std::uint8_t> bytes);
void write_output(const std::string& path, const std::string& text);

}  // namespace warpfuzz::cli
