// A finding: what went wrong, on which case, with which evidence; its bucket key, its report and its file.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "oracle/statistics.h"
#include "schema/codec/codec.h"

namespace warpfuzz {

struct TensorSnapshot {
  std::string name, role;  // "in", "out", ...
  DType dtype = DType::f32;
  std::vector<std::uint32_t> shape;
  std::vector<std::byte> data;  // row-major logical elements; may be empty for outputs that were not reached
  std::uint64_t hash = 0;       // of data, hash_bytes
  int tensor = -1;              // index in the schema: what Verdict::worst.tensor refers to
  int call = 0;                 // 0, or 1 for the second call on the same buffers
};

struct Finding {
  std::string target, op, backend;
  FaultClass fault = FaultClass::none;
  Place place;          // empty kernel where the fault has none
  std::string message;  // one line
  Bytes bytes;          // canonical
  std::string text;     // the same case, readable
  std::string summary;  // one line: dtype, dims, fills
  Verdict verdict;      // meaningful for output faults
  std::map<std::string, std::string>
      attributes;         // kind, location, dtype, dialects, shape class, table row, unspecified, ...
  std::string allowance;  // "accumulation 62 %, exp 30 %"
  ErrorRecord errors;     // of the run that failed; no elements where it left no outputs
  std::vector<TensorSnapshot> inputs, outputs;
  int table_version = 0;
  std::string compiler, device, created;  // created: UTC, ISO 8601
  std::uint64_t executions = 0;           // of the campaign when it was found
  std::uint64_t seed = 0;                 // of the campaign
  std::string
      variant;  // what it takes to show it (findings/variant.h); "" where the class has none or the file is older
};

// target / fault class [/ kernel function, for faults with a place]
std::string bucket_key(const std::string& target, FaultClass fault, const std::string& kernel);
inline std::string bucket_key(const Finding& f) { return bucket_key(f.target, f.fault, f.place.kernel); }

// What is shown and searchable beside the key: kind, ratio, location, dtype, dialects, shape, row, unspecified, severity.
// Entries that say nothing are left out.
struct AttributeContext {
  std::string dtype;              // of the case: "fp16", "fp16->fp32"
  std::string dialects;           // describe(Dialects)
  std::string table_row;          // ToleranceRow::name
  std::vector<std::string> dims;  // names of the dims of the tensor that the verdict's shape_class is about
};
std::map<std::string, std::string> attributes_of(FaultClass fault, const Verdict& v, const AttributeContext& c);

// Elements of all inputs (outputs where a case has no inputs): the size by which findings are compared and listed.
std::uint64_t input_elements(const Finding& f);

// The report for people: headline, wrong element and what was allowed, shape, tensors, replay command. Starts with a
// line in the sanitizers' grammar (==WARPFUZZ== ERROR: ...) and ends with SUMMARY: WarpFuzz: <key>.
std::string report(const Finding& f, const std::string& replay_command);
// A report that was made where nobody knew the command, with it.
std::string with_replay(std::string report, const std::string& replay_command);

// .wfz: one zstd frame around a versioned container (docs/findings.md). Reading never throws on bad data: it says what
// is wrong in one line. Outputs of more than kOutputLimit bytes in total are kept as shape and hash alone; inputs are
// kept whole, as long as the container stays below kContainerLimit.
inline constexpr std::size_t kOutputLimit = 1u << 20, kContainerLimit = 64u << 20;
Bytes to_wfz(const Finding& f);
Result<Finding> from_wfz(std::span<const std::uint8_t> file);
// By the zstd magic: a damaged .wfz counts as one, so that it is reported and never taken for a raw case. (Canonical
// case bytes start with the version of the encoding, which is not the magic's first byte.)
bool is_wfz(std::span<const std::uint8_t> file);
Result<Finding> read_wfz(const std::string& path);

[[nodiscard]] std::string write_wfz(const std::string& path, const Finding& f, Folders folders = Folders::create);
// <fault>[-<kernel>][-<variant>]-<8 hex digits of the case hash>.wfz; the variant where it is another than `ordinary`
std::string wfz_name(const Finding& f);

}  // namespace warpfuzz
