// fuzz_stale_copy: a right kernel behind a cache on the host that takes an input for the last one when its address and size are the same.
// Whether a case fails depends on the cases that ran before it, unless it calls the kernel twice.
#include "fault_zoo.cu"
#include "warpfuzz/target.h"

#include <vector>

#include "ops/value_reference.h"

namespace {

void stale_copy(const float* x, float* y, int n, cudaStream_t stream) {
  static const float* last = nullptr;
  static std::vector<float> answer;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(n);
  if (x == last && answer.size() == static_cast<std::size_t>(n)) {
    cudaMemcpy(y, answer.data(), bytes, cudaMemcpyHostToDevice);
    return;
  }
  copy_right<<<1, kThreads, 0, stream>>>(x, y, n);
  answer.resize(static_cast<std::size_t>(n));
  cudaMemcpy(answer.data(), y, bytes, cudaMemcpyDeviceToHost);
  last = x;
}

}  // namespace

#ifdef STALE_ONCE  // no case calls it twice
#define STALE_NAME stale_once
#define STALE_CALLS .single_call()
#else
#define STALE_NAME stale_copy
#define STALE_CALLS
#endif
#define STALE_TARGET(NAME, ...) WARPFUZZ_TARGET(NAME, __VA_ARGS__)

STALE_TARGET(STALE_NAME,
             TargetSpec::custom("copy")
                 .dtypes({f32})
                 .dim("n", 256)
                 .input("x", {"n"})
                 .output("y", {"n"})
                     STALE_CALLS.reference(warpfuzz::bit_equal_reference([](const RefContext& c,
                                                                            std::vector<std::vector<double>>& values) {
                       values[1].assign(c.in[0].begin(), c.in[0].end());
                     })),
             [](const Launch& l) { stale_copy(l.in<float>("x"), l.out<float>("y"), l.dim("n"), l.stream()); });
