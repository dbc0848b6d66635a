// Time of a kernel alone, by events, in one build of it: kernel_time.<variant> prints one JSON line a shape. scripts/gpu-bench
// runs the variants in turn and prints their ratios.
//   usage: kernel_time.<variant> [repeats]
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "exec/cuda/server/slots.h"
#include "exec/cuda/state_block.h"
#include "kernels/matmul.cu"
#include "kernels/softmax.cu"

// Of the instrumented variants; the bare one has none.
static std::vector<warpfuzz::cuda::ModuleSymbols>& modules() {
  static std::vector<warpfuzz::cuda::ModuleSymbols> list;
  return list;
}
void warpfuzz_cuda_register_module(const warpfuzz::cuda::ModuleSymbols& symbols) { modules().push_back(symbols); }

namespace {

using namespace warpfuzz::cuda;

void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "kernel_time: %s: %s\n", what, cudaGetErrorName(e));
  std::exit(e == cudaErrorInsufficientDriver || e == cudaErrorNoDevice ? 93 : 1);
}

struct State {
  void* block = nullptr;
  std::size_t bytes = 0;
};

State prepare_state(const Slots& slots, const std::vector<std::pair<std::uint64_t, std::size_t>>& tensors) {
  State s;
  for (const ModuleSymbols& m : modules()) {
    std::uint32_t counts[kCountSize];
    check(cudaMemcpyFromSymbol(counts, m.counts, sizeof counts), "wf_counts");
    s.bytes = state_bytes(counts[kCountEdges], counts[kCountCompares]);
    check(cudaMalloc(&s.block, s.bytes), "cudaMalloc");
    check(cudaMemset(s.block, 0, s.bytes), "cudaMemset");
    StateHeader header{};
    for (std::size_t k = 0; k < tensors.size(); ++k)
      header.bounds[k] = {static_cast<std::uint32_t>(tensors[k].first), static_cast<std::uint32_t>(tensors[k].second)};
    check(cudaMemcpy(s.block, &header, sizeof header, cudaMemcpyHostToDevice), "cudaMemcpy");
    const auto address = reinterpret_cast<std::uint64_t>(s.block);
    const std::uint32_t base = slots.base_high();
    check(cudaMemcpyToSymbol(m.state, &address, sizeof address), "wf_state");
    check(cudaMemcpyToSymbol(m.slot_base, &base, sizeof base), "wf_slot_base");
  }
  return s;
}

// Median of `repeats` launches in microseconds, coverage cleared before each.
template <class Launch>
double median_us(const State& state, int repeats, Launch&& launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int i = -3; i < repeats; ++i) {
    if (state.block)
      check(
          cudaMemsetAsync(static_cast<char*>(state.block) + sizeof(StateHeader), 0, state.bytes - sizeof(StateHeader)),
          "cudaMemset");
    check(cudaEventRecord(begin), "cudaEventRecord");
    launch();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "the kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i >= 0) times.push_back(1000 * ms);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 30;
  check(cudaSetDevice(0), "cudaSetDevice");
  Slots slots;
  if (const std::string error = slots.open(0); !error.empty())
    return std::fprintf(stderr, "kernel_time: %s\n", error.c_str()), 1;
  struct Shape {
    int M, N, K;
  };
  for (const Shape& s :
       {Shape{65, 65, 65}, Shape{512, 512, 512}, Shape{1025, 1025, 1025}, Shape{8, 1025, 0}, Shape{256, 4096, 0}}) {
    std::vector<std::size_t> bytes;
    if (s.K) bytes = {std::size_t(s.M) * s.K * 4, std::size_t(s.K) * s.N * 4, std::size_t(s.M) * s.N * 4};
    else bytes = {std::size_t(s.M) * s.N * 4, std::size_t(s.M) * s.N * 4};
    std::vector<std::pair<std::uint64_t, std::size_t>> tensors;
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      if (const std::string error = slots.reserve(static_cast<int>(k), bytes[k]); !error.empty())
        return std::fprintf(stderr, "kernel_time: %s\n", error.c_str()), 1;
      tensors.push_back({slots.place(static_cast<int>(k), bytes[k]), bytes[k]});
      std::vector<float> values(bytes[k] / 4);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((i * 2654435761u >> 8) & 1023) / 1024.0f;
      check(cudaMemcpy(reinterpret_cast<void*>(tensors[k].first), values.data(), bytes[k], cudaMemcpyHostToDevice),
            "cudaMemcpy");
    }
    const State state = prepare_state(slots, tensors);
    const auto at = [&](int k) { return reinterpret_cast<float*>(tensors[static_cast<std::size_t>(k)].first); };
    const double us = median_us(state, repeats, [&] {
      if (s.K) matmul<float, float>(at(0), at(1), at(2), s.M, s.N, s.K, nullptr);
      else softmax<float>(at(0), at(1), s.M, s.N, nullptr);
      check(cudaGetLastError(), "launch");
    });
    std::uint64_t claimed = 0;
    if (state.block) check(cudaMemcpy(&claimed, state.block, sizeof claimed, cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::printf("{\"kernel\": \"%s\", \"shape\": \"%dx%d%s%s\", \"us\": %.2f, \"finding\": %s}\n",
                s.K ? "matmul" : "softmax", s.M, s.N, s.K ? "x" : "", s.K ? std::to_string(s.K).c_str() : "", us,
                claimed ? "true" : "false");
    if (state.block) cudaFree(state.block);
  }
  return 0;
}
