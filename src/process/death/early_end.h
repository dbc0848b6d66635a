// A launcher (a CUDA_CHECK macro, often) or a reference that ends the process in the middle of a case.
#pragma once
#include "base/hook.h"

namespace warpfuzz {

// handler(how) is asked when exit() or abort() is called, how being that word: true ends the process with the code of a
// finding, false lets it end as it would have. One handler a process; an empty one removes it.
using EarlyEndHandler = Hook<bool(const char* how)>;
void set_early_end_handler(EarlyEndHandler handler);

}  // namespace warpfuzz
