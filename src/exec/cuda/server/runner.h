// Runs cases on the device: copies in, the target's launcher, copies out and checks, as one graph per client where the launcher
// can be captured, else call by call. One stream, so that cases run one after another in the order of submit(): they share the tensors'
// addresses and the coverage state.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exec/cuda/observe.h"
#include "exec/cuda/server/slots.h"
#include "exec/cuda/server/stage.h"
#include "exec/cuda/wire.h"
#include "exec/run.h"

namespace warpfuzz::cuda {

// "cudaMalloc failed with CUDA error 2 (cudaErrorMemoryAllocation)"
std::string failed_call(const char* what, cudaError_t e);

// A worker, as the server sees it.
struct Client {
  Mailbox* box = nullptr;
  std::uint64_t device = 0;  // the mailbox's address for kernels
  std::size_t bytes = 0;
  std::uint32_t taken = 0;  // number of the latest request that was submitted
  cudaGraphExec_t graph = nullptr;
  int socket = -1;
  bool gone = false, in_flight = false;

  // The worker may read the answer: by the host, where the device does not say it.
  void raise_done(Outcome outcome);
};

class Runner {
 public:
  Runner(const Schema& schema, const Launcher& launcher) : schema_(schema), launcher_(launcher) {}
  // Context, stream, address slots, state blocks. "" or one line; `code` says of which kind it is.
  std::string open(int device, HelloCode& code);
  void describe(Hello& hello) const;
  // Bytes of a mailbox's state area: a header to upload, then what each module leaves.
  std::size_t state_area() const;

  // Enqueues the client's request, or answers one that makes no sense. A sticky error comes out of failed().
  void submit(Client& client, std::uint32_t number);
  cudaError_t failed() const {
    const cudaError_t e = cudaStreamQuery(stream_);
    return e == cudaErrorNotReady ? cudaSuccess : e;
  }
  void forget(Client& client);  // its graph
  // The launcher of the client's case ends the process. What is known of the case goes into the answer.
  struct Interrupted {
    bool capturing, refused;  // a launch was refused
    cudaError_t error;        // sticky
  };
  Interrupted interrupted(Client& client);

 private:
  struct Module {
    ModuleSymbols symbols;
    std::uint32_t counts[kCountSize];
    std::uint64_t state = 0;  // device address of its block
    std::size_t bytes = 0;    // of finding and coverage in a mailbox: what is downloaded
  };
  struct Call {  // the work of one call of the launcher
    Stage before, behind;
  };

  std::string open_modules();
  std::string keep_variables();
  std::string check(const Client& client) const;
  TestCase case_of(const Request& r, std::string& error) const;
  std::string plan(Client& client, std::uint32_t number, std::vector<void*>& pointers, Call (&calls)[kMaxCalls]);
  void add_state(Client& client, Call (&calls)[kMaxCalls], int last);
  cudaError_t enqueue(Client& client, const Launch& launch, Call (&calls)[kMaxCalls], Observation& seen,
                      std::string& thrown, bool direct);
  bool run_captured(Client& client, const Launch& launch, Call (&calls)[kMaxCalls], Observation& seen,
                    std::string& thrown);
  void name_finding(Client& client) const;
  void answer(Client& client, const Observation& seen, const std::string& thrown, bool direct);
  std::uint64_t shadow(int tensor, std::size_t bytes, std::string& error);

  const Schema& schema_;
  const Launcher& launcher_;
  cudaStream_t stream_ = nullptr;
  Slots slots_;
  std::vector<Module> modules_;
  std::uint64_t counter_ = 0;  // the stage kernels' zero word
  struct Shadow {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  Shadow shadows_[kMaxTensors];  // copies of read-only tensors, to compare with
  struct Kept {
    void *variable, *copy;
    std::size_t bytes;
  };
  std::vector<Kept> variables_;  // device variables of the kernels' sources, as they were at the start
  bool checks_ = false;
  bool capture_ = false;    // the launcher's calls so far can be captured
  bool capturing_ = false;  // at this moment
  bool judged_ = false;     // a direct run has shown whether they can
  std::string device_name_;
};

}  // namespace warpfuzz::cuda
