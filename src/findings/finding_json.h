// The JSON header of a .wfz: everything of a finding but the case bytes and the tensors' data, which lie behind it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "findings/finding.h"

namespace warpfuzz {

// Lengths of the blobs behind the header, in their order: case bytes, inputs, outputs.
struct BlobLengths {
  std::size_t case_bytes = 0;
  std::vector<std::size_t> inputs, outputs;
};

// Fields with their default value are left out. `keep_inputs`, `keep_outputs`: whether the data of those is stored.
nlohmann::json to_json(const Finding& f, bool keep_inputs, bool keep_outputs);
// "" or one line. Lengths are as the header claims them; the caller compares them with what is there.
std::string from_json(const nlohmann::json& header, Finding& f, BlobLengths& lengths);

}  // namespace warpfuzz
