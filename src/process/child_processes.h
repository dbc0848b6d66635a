// The processes that a parent of -fork, -jobs, -merge or -minimize_crash has: libFuzzer starts them by a shell and forgets their
// numbers, the system knows them.
#pragma once
#include <sys/types.h>

#include <vector>

namespace warpfuzz {

// Of this process, as far as they run its own binary; children first. None where /proc does not tell.
std::vector<pid_t> descendants();
bool none_alive(const std::vector<pid_t>& pids);
void tell(const std::vector<pid_t>& pids, int signal, int value);  // sends the signal along with a value

}  // namespace warpfuzz
