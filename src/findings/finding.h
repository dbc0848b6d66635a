// A finding: what went wrong, on which case, with which evidence; its bucket key, its report and its file.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/verdict.h"
#include "schema/codec.h"

namespace warpfuzz {

struct TensorSnapshot {
  std::string name, role;                // "in", "out", ...
  DType dtype = DType::f32;
  std::vector<std::uint32_t> shape;
  std::vector<std::byte> data;           // row-major logical elements; may be empty for outputs that were not reached
  std::uint64_t hash = 0;                // of data, hash_bytes
};

struct Finding {
  std::string target, op, backend;
  FaultClass fault = FaultClass::none;
  Place place;                           // empty kernel where the fault has none
  std::string message;                   // one line
  Bytes bytes;                           // canonical
  std::string text;                      // the same case, readable
  std::string summary;                   // one line: dtype, dims, fills
  Verdict verdict;                       // meaningful for output faults
  std::map<std::string, std::string> attributes;  // kind, location, dtype, dialects, shape class, table row, unspecified, ...
  std::string allowance;                 // "accumulation 62 %, exp 30 %"
  std::vector<TensorSnapshot> inputs, outputs;
  int table_version = 0;
  std::string compiler, device, created; // created: UTC, ISO 8601
  std::uint64_t executions = 0;          // of the campaign when it was found
  std::uint64_t seed = 0;                // of the campaign
};

// target / fault class [/ kernel function, for faults with a place]
std::string bucket_key(const std::string& target, FaultClass fault, const std::string& kernel);
inline std::string bucket_key(const Finding& f) { return bucket_key(f.target, f.fault, f.place.kernel); }
bool has_place(FaultClass f);            // oob, misaligned, divergence, hang, assert, race with one

// The report for people: headline, wrong element and what was allowed, shape, tensors, replay command.
std::string report(const Finding& f, const std::string& replay_command);

// .wfz: one zstd frame around a versioned container. Reading never throws on bad data: it says what is wrong.
struct ReadResult { std::optional<Finding> finding; std::string error; };
Bytes to_wfz(const Finding& f);
ReadResult from_wfz(std::span<const std::uint8_t> file);
bool is_wfz(std::span<const std::uint8_t> file);  // by the zstd magic and our frame
ReadResult read_wfz(const std::string& path);

// Written under a temporary name and renamed; "" or one line that says what failed (disk full, no such folder, ...).
std::string write_file(const std::string& path, std::span<const std::uint8_t> bytes);
inline std::string write_wfz(const std::string& path, const Finding& f) { return write_file(path, to_wfz(f)); }
// <fault>[-<kernel>]-<8 hex digits of the case hash>.wfz
std::string wfz_name(const Finding& f);

}  // namespace warpfuzz
