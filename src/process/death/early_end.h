// A launcher (a CUDA_CHECK macro, often) or a reference that ends the process in the middle of a case.
#pragma once

namespace warpfuzz {

// handler(how) is asked when exit() or abort() is called, how being that word: true ends the process with the code of a
// finding, false lets it end as it would have. One handler a process; null removes it.
using EarlyEndHandler = bool (*)(const char* how);
void set_early_end_handler(EarlyEndHandler handler);

}  // namespace warpfuzz
