// Which function of the target runs, and the end of the process where one of them fails.
#include "schema/target_code.h"

#include <unistd.h>

#include <cstdio>

#include "base/exit_codes.h"

namespace warpfuzz {
namespace {

// Of the process, since those who ask (a signal, the sanitizer) come without a context.
const char *running_kind = nullptr, *running_name = "";
CaseKeeper case_keeper;

}  // namespace

TargetCode::TargetCode(const char* kind, const char* name) : kind_before_(running_kind), name_before_(running_name) {
  running_kind = kind;
  running_name = name;
}
TargetCode::~TargetCode() {
  running_kind = kind_before_;
  running_name = name_before_;
}

std::string running_target_code() { return running_kind ? std::string(running_kind) + " " + running_name : ""; }

void set_case_keeper(CaseKeeper keeper) { case_keeper = keeper; }

void target_error(std::string_view message) {
  std::string text(message);
  const CaseKeeper keeper = case_keeper;
  case_keeper = {};  // what fails while the case is being kept comes back here
  running_kind = nullptr;
  if (keeper)
    if (const std::string kept = keeper(); !kept.empty()) text += "; the case is kept as " + kept;
  std::fflush(stdout);
  std::fprintf(stderr, "warpfuzz: target error: %s\n", text.c_str());
  std::fflush(stderr);
  _exit(kExitTargetError);  // exit() would be a crash to the fuzzing engine
}

}  // namespace warpfuzz
