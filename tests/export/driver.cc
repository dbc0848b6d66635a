// Runs an exported program on the CPU executor: its main, under another name, as one case.
#include <cstdio>

#include "exec/cpu/case.h"

int repro_main();

int main() {
  using namespace warpfuzz;
  cpu::begin_case({}, 0, false);
  const int code = repro_main();
  const ExecStatus status = cpu::end_case();
  if (status.fault != FaultClass::none)
    std::printf("executor: %s: %s\n", std::string(fault_name(status.fault)).c_str(), status.message.c_str());
  if (status.launches.empty() && code != 3) {
    std::printf("executor: no kernel was launched\n");
    return 99;
  }
  return code;
}
