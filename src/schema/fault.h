// The fault classes of findings: the vocabulary shared by the executor, the oracle and the findings. The order is
// the order of precedence ("first match gives the class").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpfuzz {

enum class FaultClass : std::uint8_t {
  none, oob_read, oob_write, misaligned, divergence, race, launch, hang, assertion, unwritten, input_changed, index,
  special, value, nondeterministic,
  unsupported,  // not a finding: the kernel uses a construct that the backend cannot run
};
std::string_view fault_name(FaultClass f);  // "oob-read", "input-changed", "assert", ... as in bucket keys
std::optional<FaultClass> fault_from_name(std::string_view name);

// Where in the kernel a fault was met. Empty kernel: not inside one.
struct Place {
  std::string kernel;                       // function name without template arguments or namespaces: "softmax_kernel"
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  std::string file;                         // as the compiler saw it; may be empty
  int line = 0;
};
std::string describe(const Place& p);       // "kernel softmax_kernel, block (0,0,0), thread (5,0,0), softmax.cu:31"

}  // namespace warpfuzz
