// One case with everything that a program without WarpFuzz needs: tensors as bits and what each output may be. Read from a
// target's answer to `tensors`; written as a .cu and as a .npz.
#pragma once
#include <string>

#include "export/target_source.h"
#include "protocol/messages.h"

namespace warpfuzz::cli {

struct Repro {
  std::string target, key, headline;  // headline: the finding in one line
  FaultClass fault = FaultClass::none;
  Step step = Step::base;  // the run that failed
  CaseTensors contents;
};

// What of a target's answer does not fit together, "" where all does: what is written from it would be nonsense.
std::string check_tensors(const CaseTensors& answer);

// The .cu. `file`: its name, for the build line. More than kReproLimit make no sense for a compiler.
inline constexpr std::size_t kReproLimit = 8u << 20;
std::string build_command(const std::string& file);  // nvcc's, and the run of what it makes
std::string repro_cu(const Repro& r, const TargetSource& source, const std::string& file);
// The fixed parts: src/export/repro/*.cuh, which CMake makes constants of.
extern const std::string_view kLaunchCuh, kJudgeCuh, kRunCuh;

// The .npz: inputs, outputs, references and intervals of every call.
Bytes repro_npz(const Repro& r);

}  // namespace warpfuzz::cli
