// A kernel that includes what CUDA 13 keeps in a folder of its own (include/cccl): it must compile as it does with nvcc.
#include <cooperative_groups.h>

#include <cub/block/block_reduce.cuh>
#include <cuda/std/limits>

__global__ void largest_of_block(const float* x, float* y, int n) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const auto block = cooperative_groups::this_thread_block();
  float v = cuda::std::numeric_limits<float>::lowest();
  for (int i = block.thread_rank(); i < n; i += block.size()) v = x[i] > v ? x[i] : v;
  v = Reduce(storage).Reduce(v, [](float a, float b) { return a > b ? a : b; });
  if (block.thread_rank() == 0) *y = v;
}

void launch(const float* x, float* y, int n) { largest_of_block<<<1, 128>>>(x, y, n); }
