// What a worker (a fuzzing process without CUDA) and the server of a GPU exchange. At start over a Unix socket: Hello from the server,
// Wish from the worker, then the descriptor of a shared mailbox. After that only the mailbox's memory: the worker writes a request and
// raises `asked`, the device itself raises `done` behind the outputs. Both ends are of one build (the socket's name carries a hash of
// the binary), so that plain structs do; every number that indexes memory is checked by the server all the same.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "exec/cuda/state_block.h"
#include "schema/schema.h"

namespace warpfuzz::cuda {

inline constexpr std::uint32_t kWireMagic = 0x5746475a;
inline constexpr std::size_t kPage = 4096, kUnit = 16;  // copies are of whole 16-byte units
inline constexpr int kMaxCalls = 2, kMaxLaunches = 24, kTextBytes = 400, kMaxCaseBytes = 2048, kMaxModules = 16;
// In place of an offset in the upload area: the storage is filled with the pattern; it is left as the call before left it.
inline constexpr std::int64_t kPoisonUp = -1, kNothingUp = -2;

enum class HelloCode : std::uint32_t { ready, no_device, failed };
struct Hello {
  std::uint32_t magic;
  HelloCode code;
  char text[kTextBytes];  // ready: something to tell the user once, or empty; else one line: what is missing
  char device[128];       // "NVIDIA H200, sm_90, driver 13.0, runtime 13.0"
  std::uint32_t float_atomics, checks, modules, slot_base;
  struct {
    std::uint32_t edges, compares, coverage, reserved;
  } module[kMaxModules];
};
struct Wish {
  std::uint64_t up, down;  // bytes of the two areas
};

// One tensor of a case: `bytes` of storage, which start at a multiple of 16 and end where the mapped memory of the tensor's slot ends
// (give or take the rounding to 16).
struct TensorWire {
  std::uint32_t present, read_only;
  std::uint64_t bytes, first;    // first: offset of element (0,...,0)
  std::uint64_t pattern;         // contents where nothing is uploaded, and of the red zones
  std::int64_t up[kMaxCalls];    // offset in the upload area, or kPoisonUp, or kNothingUp
  std::int64_t down[kMaxCalls];  // offset in the download area; -1: stays on the device
};
struct Request {
  std::uint32_t case_bytes, calls, in_dtype, out_dtype;
  std::uint32_t coverage, hang_ms, direct,
      poison;  // direct: no stream capture; poison: of launcher allocations (a byte)
  TensorWire tensors[kMaxTensors];
  std::uint8_t bytes[kMaxCaseBytes];  // canonical, of the target's schema with all its dtypes
};

enum class Outcome : std::uint32_t {
  none,          // the server is gone without a word
  done,          // the outputs are there, unless a launch was refused
  fault,         // a CUDA error ended the context, and the server with it; this case is the culprit
  hang,          // a kernel did not end in time; the same
  lost,          // the server ended by another worker's case: ask again
  uncapturable,  // the launcher ended the process when its calls were captured: ask again, without
  left,          // the launcher ended the process, with no fault on record
  rejected,      // the request makes no sense: a defect of ours, text says which
};
struct LaunchWire {
  char kernel[96];
  std::uint32_t grid[3], block[3], error;
  std::uint64_t shared;
};
struct Answer {
  Outcome outcome;
  std::int32_t error;  // cudaError_t of a fault, or of what the launcher left behind
  std::uint32_t launches, direct;
  std::uint64_t leaked, nanoseconds;
  char text[kTextBytes];
  LaunchWire launch[kMaxLaunches];
};
// Written by the device behind a case.
struct Findings {
  std::uint32_t red_zone[kMaxCalls];  // bit k: the zone before tensor k was written
  std::uint32_t changed[kMaxCalls];   // bit k: read-only tensor k differs from what was uploaded
};

struct Mailbox {
  std::uint32_t magic, reserved;
  std::uint64_t up_bytes, down_bytes, state_bytes;
  alignas(64) std::atomic<std::uint32_t> asked;  // number of the latest request
  alignas(64) std::atomic<std::uint32_t> done;   // the device's or the server's: everything of that request is in place
  alignas(64) std::atomic<std::uint32_t> closed;  // the worker leaves
  alignas(64) Findings findings;
  alignas(64) Request request;
  alignas(64) Answer answer;
  // State of the checked build's finding, then coverage: state_bytes; then up, then down, each on a page boundary.
};
inline constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
// Of a module's state in the mailbox: the finding, then what is behind the header.
constexpr std::size_t module_bytes(std::uint32_t edges, std::uint32_t compares, bool coverage) {
  return offsetof(StateHeader, bounds) +
         (coverage ? round_up(state_bytes(edges, compares), kUnit) - sizeof(StateHeader) : 0);
}
inline std::size_t state_at() { return round_up(sizeof(Mailbox), kPage); }
inline std::size_t up_at(const Mailbox& m) { return state_at() + round_up(m.state_bytes, kPage); }
inline std::size_t down_at(const Mailbox& m) { return up_at(m) + round_up(m.up_bytes, kPage); }
inline std::size_t mailbox_bytes(const Mailbox& m) { return down_at(m) + round_up(m.down_bytes, kPage); }

// One word in its own shared page tells a sleeping server that somebody asked.
struct Doorbell {
  alignas(64) std::atomic<std::uint32_t> rings;
  alignas(64) std::atomic<std::uint32_t> sleeping;
};

}  // namespace warpfuzz::cuda
