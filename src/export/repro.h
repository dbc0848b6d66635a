// One case with everything that a program without WarpFuzz needs: tensors as bits and what each output may be. Read from a
// target's answer to `tensors`; written as a .cu and as a .npz.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "export/target_source.h"
#include "numeric/dtype.h"
#include "schema/codec/codec.h"
#include "schema/fault.h"

namespace warpfuzz::cli {

struct ReproTensor {
  std::string name, role;
  DType dtype = DType::f32;
  bool present = true;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t offset = 0, storage = 0, elements = 0;
  Bytes poison[2], padding[2];  // one element's bytes
};

struct ReproInput {
  std::size_t tensor = 0;
  Bytes bits;  // elements, row-major, little-endian, as the next ones
};
struct ReproOutput {
  std::size_t tensor = 0;
  Bytes lo, hi, rules;
  Bytes reference;  // fp64
  Bytes got;        // empty where the process died before there were outputs
};
struct ReproCall {
  std::vector<ReproInput> inputs;
  std::vector<ReproOutput> outputs;
};
struct NamedNumber {
  std::string name;
  double value = 0;
};

struct Repro {
  std::string target, key, headline;  // headline: the finding in one line
  FaultClass fault = FaultClass::none;
  std::string step;  // the run that failed
  std::string summary, text, bound, compiler;
  DType in_dtype = DType::f32, out_dtype = DType::f32;
  std::vector<NamedNumber> dims, scalars, flags;
  std::vector<ReproTensor> tensors;
  std::vector<ReproCall> calls;
};

// "" or one line: what of the answer is not as docs/protocol.md says. Fills everything but target, key, headline, fault.
std::string read_repro(const nlohmann::json& answer, Repro& out);

// The .cu. `file`: its name, for the build line. More than kReproLimit make no sense for a compiler.
inline constexpr std::size_t kReproLimit = 8u << 20;
std::string build_command(const std::string& file);  // nvcc's, and the run of what it makes
std::string repro_cu(const Repro& r, const TargetSource& source, const std::string& file);
// The fixed parts: src/export/repro/*.cuh, which CMake makes constants of.
extern const std::string_view kLaunchCuh, kJudgeCuh, kRunCuh;

// The .npz: inputs, outputs, references and intervals of every call.
Bytes repro_npz(const Repro& r);

}  // namespace warpfuzz::cli
