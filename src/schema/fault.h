// The fault classes of findings: the vocabulary shared by the executor, the oracle and the findings. schema/fault.def is the list.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpfuzz {

enum class FaultClass : std::uint8_t {
  none,
#define WARPFUZZ_FAULT(ID, ...) ID,
#include "schema/fault.def"
#undef WARPFUZZ_FAULT
  unsupported,  // not a finding: the kernel uses a construct that the backend cannot run
};
inline constexpr std::size_t kFaultClasses = static_cast<std::size_t>(FaultClass::unsupported) + 1;

// What a fault leaves of the process (on a GPU: of the server) that met it.
enum class Aftermath : std::uint8_t {
  survives,  // goes on, and can shrink the case itself
  checked,   // is lost, but the build that checks every access survives the same fault
  ends,      // is lost: the case is shrunk from outside
};
struct FaultInfo {
  std::string_view name;     // "oob-read", "input-changed", "assert", ... as in bucket keys
  std::string_view meaning;  // for people: "a read outside of an allocation: ..."
  bool has_place;            // bucket keys name the kernel
  Aftermath cpu, gpu;
  std::string_view tool;  // of compute-sanitizer, which shows it on a GPU; empty: none
};
const FaultInfo& fault_info(FaultClass f);

// On the backend of this name.
inline Aftermath aftermath(FaultClass f, std::string_view backend) {
  return backend == "cuda" ? fault_info(f).gpu : fault_info(f).cpu;
}

inline std::string_view fault_name(FaultClass f) { return fault_info(f).name; }
std::optional<FaultClass> fault_from_name(std::string_view name);

// Where in the kernel a fault was met. Empty kernel: not inside one.
struct Place {
  std::string kernel;  // function name without template arguments or namespaces: "softmax_kernel"
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  std::string file;  // as the compiler saw it; may be empty
  int line = 0;
};
std::string describe(const Place& p);  // "kernel softmax_kernel, block (0,0,0), thread (5,0,0), softmax.cu:31"

}  // namespace warpfuzz
