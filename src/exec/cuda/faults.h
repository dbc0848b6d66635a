// From CUDA's errors and the device's records to fault classes, places and messages.
#pragma once
#include <span>
#include <string>

#include "exec/cuda/wire.h"
#include "exec/run.h"
#include "schema/fill/fill.h"

namespace warpfuzz::cuda {

// The context died of this error. An illegal address is oob-read until the checked build says more.
FaultClass class_of_error(int error);
const char* error_text(int error);  // "an illegal memory access (CUDA error 700)"

// What the checked build recorded, of the layouts of the case; `name` of the string that the record points to.
void describe_finding(const DeviceFinding& f, std::span<const TensorLayout> layouts, const Schema& schema,
                      std::uint32_t slot_base, const StateHeader& header, const std::string& where, ExecStatus& status);

}  // namespace warpfuzz::cuda
