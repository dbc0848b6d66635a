// libFuzzer target: whatever a .wfz holds, reading it ends with a finding or with one line of text. What reads well must
// print and must survive being written again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "findings/container.h"

namespace {

using warpfuzz::Bytes;
using warpfuzz::Finding;
using warpfuzz::Result;

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_wfz_reader: %s: %s\n", what, detail.c_str());
  std::abort();
}

// Inputs that start with '{' are a JSON header: its length in front of it, and zeros behind it for blobs.
Bytes container_around(const std::uint8_t* json, std::size_t size) {
  Bytes p{'W', 'A', 'R', 'P', 'F', 'U', 'Z', 'Z', 1, 0, 0, 0};
  for (int i = 0; i < 4; ++i) p.push_back(static_cast<std::uint8_t>(size >> (8 * i)));
  p.insert(p.end(), json, json + size);
  return p;
}

Result<Finding> read(const std::uint8_t* data, std::size_t size) {
  if (size && data[0] == '{') return warpfuzz::unpack_container(container_around(data, size));
  if (warpfuzz::is_wfz({data, size})) return warpfuzz::from_wfz({data, size});
  return warpfuzz::unpack_container({data, size});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Finding> r = read(data, size);
  require(r.ok() == r.line().empty(), "either a finding or an error", r.line());
  require(r.line().find('\n') == std::string::npos, "an error is one line", r.line());
  if (!r) return 0;

  const std::string text = warpfuzz::report(*r, "replay");
  require(text.find("SUMMARY: WarpFuzz: " + warpfuzz::bucket_key(*r)) != std::string::npos,
          "a report ends with the key", text);
  const Bytes once = warpfuzz::pack_container(*r);
  const Result<Finding> again = warpfuzz::unpack_container(once);
  require(again.ok(), "what was read can be written and read", again.line());
  require(warpfuzz::pack_container(*again) == once, "writing is stable", text);
  return 0;
}
