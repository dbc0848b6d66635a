// Exit codes of the target binaries and of `warpfuzz`: the single table. docs/exit-codes.md shows it to people, and a
// test compares the two.
#pragma once
#include <cstddef>

namespace warpfuzz {

enum ExitCode : int {
  kExitOk = 0,        // nothing wrong: no finding, or the recorded verdict was reproduced
  kExitTimeout = 70,  // libFuzzer's own alarm (-timeout), where our watchdog, whose findings are of class hang, is off
  kExitMemory = 71,   // libFuzzer's own memory limit (-rss_limit_mb)
  kExitInterrupted = 72,    // SIGINT or SIGTERM; libFuzzer's own number for it, which its parents of -fork look for
  kExitFinding = 77,        // a finding of any kind, by a target binary or by a replayed raw file
  kExitUsage = 80,          // unknown command or option, missing argument
  kExitBadFile = 81,        // a file that cannot be read: missing, truncated, damaged, not a finding, not a case
  kExitNoTarget = 82,       // the target binary is not there, does not start, or breaks the protocol
  kExitTargetError = 83,    // the target itself is at fault: its specification, launcher, reference or constraint
  kExitCannotWrite = 84,    // a file could not be written: disk full, no permission, a file in place of a folder
  kExitReplayDiffers = 85,  // the recorded verdict was not reproduced
  kExitDuplicate = 86,      // `keep`: a finding with this key, or a file of this name, is kept already
  kExitNotSmaller = 87,     // `shrink`: nothing smaller was found; no file was written
  kExitUnsupported = 88,    // the kernel uses a construct that this backend cannot run
  kExitInternal = 89,       // a defect of WarpFuzz itself: please report it
  kExitUncalibrated =
      90,              // `calibrate`: an error beyond its bound or its evidence, or a twin that the row does not tell
  kExitIndex = 91,     // `run`: the findings index cannot be opened, read or written
  kExitInUse = 92,     // `run`: another one works in this folder
  kExitNoDevice = 93,  // a binary of the preset cuda on a machine without a GPU or driver that it can use
  kExitBackendsDiffer = 94,  // `crosscheck`: the backends disagree about a case
  kExitNothingRun = 95,      // `run`: no case was executed
};

struct ExitCodeInfo {
  int code;
  const char* name;
  const char* meaning;
};

// Ascending; `name` is what scripts and `warpfuzz version --json` call the code.
inline constexpr ExitCodeInfo kExitCodes[] = {
    {kExitOk, "ok", "no finding, or the recorded verdict was reproduced"},
    {kExitTimeout, "timeout", "libFuzzer's own alarm (-timeout), where our watchdog is off"},
    {kExitMemory, "memory", "libFuzzer's own memory limit (-rss_limit_mb)"},
    {kExitInterrupted, "interrupted", "ended in order by SIGINT or SIGTERM"},
    {kExitFinding, "finding", "a finding of any kind"},
    {kExitUsage, "usage", "unknown command or option, missing argument"},
    {kExitBadFile, "bad-file", "a file that cannot be read: missing, truncated, damaged, not a finding, not a case"},
    {kExitNoTarget, "no-target", "the target binary is not there, does not start, or breaks the protocol"},
    {kExitTargetError, "target-error",
     "the target is at fault: invalid specification, no launcher, a reference or constraint that fails, or a request that it cannot serve"},
    {kExitCannotWrite, "cannot-write", "a file could not be written: disk full, no permission, no such folder"},
    {kExitReplayDiffers, "replay-differs", "the recorded verdict was not reproduced"},
    {kExitDuplicate, "duplicate", "keep: a finding with this key, or a file of this name, is kept already"},
    {kExitNotSmaller, "not-smaller", "shrink: nothing smaller was found, no file was written"},
    {kExitUnsupported, "unsupported", "the kernel uses a construct that this backend cannot run"},
    {kExitInternal, "internal", "a defect of WarpFuzz itself"},
    {kExitUncalibrated, "uncalibrated",
     "calibrate: an error beyond its bound or its evidence, or a lower-precision twin that passes"},
    {kExitIndex, "index", "the findings index cannot be opened, read or written: disk full, locked, damaged"},
    {kExitInUse, "in-use", "run: another `warpfuzz run` works in this folder"},
    {kExitNoDevice, "no-device", "a binary of the preset cuda found no GPU or driver that it can use"},
    {kExitBackendsDiffer, "backends-differ", "crosscheck: the backends disagree about a case"},
    {kExitNothingRun, "nothing-run", "run: no case was executed"},
};
inline constexpr std::size_t kExitCodeCount = sizeof kExitCodes / sizeof kExitCodes[0];

}  // namespace warpfuzz
