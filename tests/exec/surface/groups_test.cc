// Cooperative groups: ranks, exchanges, partitions, reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "kernel_case.h"

namespace cg = cooperative_groups;

namespace warpfuzz::cpu {
namespace {

class Groups : public SurfaceTest {};

TEST_F(Groups, BlocksAndTheGrid) {
  int wrong = 0;
  run(dim3(2, 2), dim3(8, 4), [&] {
    const cg::thread_block block = cg::this_thread_block();
    const cg::grid_group grid = cg::this_grid();
    const unsigned rank = threadIdx.y * 8 + threadIdx.x;
    wrong += block.thread_rank() != rank || block.size() != 32 || block.group_index().y != blockIdx.y ||
             block.dim_threads().x != 8;
    wrong +=
        grid.thread_rank() != (blockIdx.y * 2 + blockIdx.x) * 32 + rank || grid.size() != 128 || grid.num_blocks() != 4;
    block.sync();
    cg::sync(block);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(status().fault, FaultClass::none);
}

TEST_F(Groups, Tiles) {
  std::vector<int> sums(64), from(64), up(64), ranks(64), metas(64);
  std::vector<unsigned> votes(64);
  run(1, 64, [&] {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int t = int(threadIdx.x);
    sums[t] = cg::reduce(tile, t, cg::plus<int>());
    from[t] = tile.shfl(t, 3);
    up[t] = tile.shfl_up(t, 2);
    ranks[t] = int(tile.thread_rank());
    metas[t] = int(tile.meta_group_rank());
    votes[t] = tile.ballot(t % 2);
  });
  for (int t = 0; t < 64; ++t) {
    const int first = t / 8 * 8;
    EXPECT_EQ(sums[t], 8 * first + 28);
    EXPECT_EQ(from[t], first + 3);
    EXPECT_EQ(up[t], t - 2 >= first ? t - 2 : t);
    EXPECT_EQ(ranks[t], t - first);
    EXPECT_EQ(metas[t], t / 8);
    EXPECT_EQ(votes[t], 0xaau);
  }
}

TEST_F(Groups, TilesOfTilesAndLargeValues) {
  struct Big {
    double a, b, c;
  };
  int wrong = 0;
  run(1, 32, [&] {
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto quarter = cg::tiled_partition<4>(warp);
    const double t = threadIdx.x;
    const Big got = quarter.shfl(Big{t, t + 0.5, -t}, 1);
    const double source = double(threadIdx.x / 4 * 4 + 1);
    wrong += got.a != source || got.b != source + 0.5 || got.c != -source;
    wrong += cg::reduce(warp, float(t), cg::greater<float>()) != 31.0f;
    wrong += cg::reduce(warp, int(t), cg::less<int>()) != 0;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Groups, CoalescedThreads) {
  std::vector<int> size(32, 0), rank(32, -1), sum(32, 0);
  run(1, 32, [&] {
    const int t = int(threadIdx.x);
    if (t % 3 == 0) {
      const cg::coalesced_group active = cg::coalesced_threads();
      size[t] = int(active.size());
      rank[t] = int(active.thread_rank());
      sum[t] = cg::reduce(active, t, cg::plus<int>());
    }
  });
  for (int t = 0; t < 32; t += 3) {
    EXPECT_EQ(size[t], 11);
    EXPECT_EQ(rank[t], t / 3);
    EXPECT_EQ(sum[t], 165);
  }
}

TEST_F(Groups, Scans) {
  std::vector<int> inclusive(32), exclusive(32);
  run(1, 32, [&] {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int t = int(threadIdx.x);
    inclusive[t] = cg::inclusive_scan(tile, t);
    exclusive[t] = cg::exclusive_scan(tile, t, cg::plus<int>());
  });
  for (int t = 0, sum = 0; t < 32; ++t) {
    if (t == 16) sum = 0;
    EXPECT_EQ(exclusive[t], sum);
    sum += t;
    EXPECT_EQ(inclusive[t], sum);
  }
}

TEST_F(Groups, Partitions) {
  std::vector<unsigned> odd(32), label(32), dynamic(32);
  run(1, 32, [&] {
    const unsigned t = threadIdx.x;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    odd[t] = cg::binary_partition(warp, t < 5).size();
    label[t] = cg::labeled_partition(warp, int(t % 4)).thread_rank();
    const auto eight = cg::tiled_partition(cg::this_thread_block(), 8);
    dynamic[t] = eight.shfl(t, 7);
  });
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(odd[t], t < 5 ? 5u : 27u);
    EXPECT_EQ(label[t], t / 4);
    EXPECT_EQ(dynamic[t], t / 8 * 8 + 7);
  }
}

}  // namespace
}  // namespace warpfuzz::cpu
