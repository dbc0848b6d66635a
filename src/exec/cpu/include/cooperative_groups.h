// Cooperative groups on the CPU executor: thread blocks, tiles of a warp, coalesced threads, and the grid's indices. Stands
// before NVIDIA's header of the same name, which is made of inline assembly.
#pragma once
#include "warpfuzz_cuda/sync.h"

#define WARPFUZZ_NO_GROUP(what) \
  __attribute__((unavailable("warpfuzz: cooperative_groups: " what " not supported on the CPU executor")))

namespace cooperative_groups {

class thread_block {
 public:
  WARPFUZZ_FN static void sync(WARPFUZZ_SITE) { ::warpfuzz::cpu::sync_threads(site); }
  WARPFUZZ_FN static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  WARPFUZZ_FN static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  WARPFUZZ_FN static unsigned int size() { return num_threads(); }
  WARPFUZZ_FN static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  WARPFUZZ_FN static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  WARPFUZZ_FN static dim3 dim_threads() { return blockDim; }
  WARPFUZZ_FN static dim3 group_dim() { return blockDim; }
};
WARPFUZZ_FN thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  WARPFUZZ_FN static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  WARPFUZZ_FN static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  WARPFUZZ_FN static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  WARPFUZZ_FN static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  WARPFUZZ_FN static unsigned long long size() { return num_threads(); }
  WARPFUZZ_FN static dim3 group_dim() { return gridDim; }
  WARPFUZZ_FN static dim3 dim_blocks() { return gridDim; }
  WARPFUZZ_FN static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  WARPFUZZ_FN static bool is_valid() { return false; }  // no cooperative launch
  static void sync() WARPFUZZ_NO_GROUP("grid.sync() (cooperative launches) is");
};
WARPFUZZ_FN grid_group this_grid() { return {}; }
struct cluster_group {};
cluster_group this_cluster() WARPFUZZ_NO_GROUP("this_cluster() (thread block clusters) is");

// Lanes of a warp that act together: mask_ names them by lane, ranks count its set bits.
class lane_group {
 public:
  WARPFUZZ_FN unsigned int size() const { return unsigned(__builtin_popcount(mask_)); }
  WARPFUZZ_FN unsigned int num_threads() const { return size(); }
  WARPFUZZ_FN unsigned int thread_rank() const { return rank_of(lane()); }
  WARPFUZZ_FN void sync(WARPFUZZ_SITE) const { __syncwarp(mask_, site); }
  template <class T>
  WARPFUZZ_FN T shfl(T value, int rank, WARPFUZZ_SITE) const {
    return from(value, lane_of(unsigned(rank) % size()), site);
  }
  template <class T>
  WARPFUZZ_FN T shfl_up(T value, unsigned int delta, WARPFUZZ_SITE) const {
    const unsigned rank = thread_rank();
    return from(value, rank >= delta ? lane_of(rank - delta) : lane(), site);
  }
  template <class T>
  WARPFUZZ_FN T shfl_down(T value, unsigned int delta, WARPFUZZ_SITE) const {
    const unsigned rank = thread_rank();
    return from(value, rank + delta < size() ? lane_of(rank + delta) : lane(), site);
  }
  template <class T>
  WARPFUZZ_FN T shfl_xor(T value, unsigned int lanes, WARPFUZZ_SITE) const {
    const unsigned partner = thread_rank() ^ lanes;
    return from(value, partner < size() ? lane_of(partner) : lane(), site);
  }
  WARPFUZZ_FN unsigned int ballot(int predicate, WARPFUZZ_SITE) const {
    return packed(__ballot_sync(mask_, predicate, site));
  }
  WARPFUZZ_FN int any(int predicate, WARPFUZZ_SITE) const { return __any_sync(mask_, predicate, site); }
  WARPFUZZ_FN int all(int predicate, WARPFUZZ_SITE) const { return __all_sync(mask_, predicate, site); }
  template <class T>
  WARPFUZZ_FN unsigned int match_any(T value, WARPFUZZ_SITE) const {
    return packed(__match_any_sync(mask_, value, site));
  }
  template <class T>
  WARPFUZZ_FN unsigned int match_all(T value, int& same, WARPFUZZ_SITE) const {
    return packed(__match_all_sync(mask_, value, &same, site));
  }
  WARPFUZZ_FN unsigned int warpfuzz_mask() const { return mask_; }

 protected:
  WARPFUZZ_FN explicit lane_group(unsigned mask) : mask_(mask) {}
  WARPFUZZ_FN static unsigned lane() { return ::warpfuzz::cpu::lane_id(); }
  WARPFUZZ_FN unsigned rank_of(unsigned lane) const {
    return unsigned(__builtin_popcount(mask_ & ((1u << lane) - 1u)));
  }
  WARPFUZZ_FN unsigned lane_of(unsigned rank) const {
    unsigned mask = mask_;
    for (; rank > 0; --rank) mask &= mask - 1;
    return unsigned(__builtin_ctz(mask));
  }
  // Bits of lanes to bits of ranks.
  WARPFUZZ_FN unsigned packed(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rest = lanes & mask_; rest != 0; rest &= rest - 1)
      ranks |= 1u << rank_of(unsigned(__builtin_ctz(rest)));
    return ranks;
  }
  // Values of any size travel in pieces of 8 bytes.
  template <class T>
  WARPFUZZ_FN T from(const T& value, unsigned source, ::warpfuzz::cpu::Site site) const {
    if constexpr (sizeof(T) <= 8) {
      return ::warpfuzz::cpu::shuffle<T>(::warpfuzz::cpu::WarpOp::shfl, mask_, value, int(source), 32, site);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      constexpr std::size_t pieces = (sizeof(T) + 7) / 8;
      std::uint64_t words[pieces] = {};
      __builtin_memcpy(words, &value, sizeof(T));
      for (auto& word : words)
        word =
            ::warpfuzz::cpu::shuffle<std::uint64_t>(::warpfuzz::cpu::WarpOp::shfl, mask_, word, int(source), 32, site);
      T result;
      __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
      return result;
    }
  }
  unsigned mask_;
};

class coalesced_group : public lane_group {
 public:
  WARPFUZZ_FN explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
      : lane_group(mask), rank_(rank), groups_(groups) {}
  WARPFUZZ_FN unsigned int meta_group_rank() const { return rank_; }
  WARPFUZZ_FN unsigned int meta_group_size() const { return groups_; }
  WARPFUZZ_FN unsigned lanes_of(unsigned first, unsigned count) const {
    unsigned lanes = 0;
    for (unsigned r = first; r < first + count && r < size(); ++r) lanes |= 1u << lane_of(r);
    return lanes;
  }

 private:
  unsigned rank_, groups_;
};
WARPFUZZ_FN coalesced_group coalesced_threads(WARPFUZZ_SITE) {
  return coalesced_group(::warpfuzz::cpu::active_mask(site));
}

template <unsigned int Size, class Parent = void>
class thread_block_tile : public lane_group {
  static_assert(
      Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
      "warpfuzz: cooperative_groups: tiles of more than a warp are not supported on the CPU executor; sizes are powers of two up to 32");

 public:
  WARPFUZZ_FN thread_block_tile()
      : lane_group(Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1u) << (lane() & ~(Size - 1))) {}
  template <class Other>
  WARPFUZZ_FN thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}
  WARPFUZZ_FN static constexpr unsigned int size() { return Size; }
  WARPFUZZ_FN static constexpr unsigned int num_threads() { return Size; }
  WARPFUZZ_FN static unsigned int thread_rank() { return thread_block::thread_rank() % Size; }
  WARPFUZZ_FN static unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  WARPFUZZ_FN static unsigned int meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
};

template <unsigned int Size>
WARPFUZZ_FN thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned int Size, unsigned int Outer, class Parent>
WARPFUZZ_FN thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>&) {
  static_assert(Size <= Outer, "a tile is no larger than what it partitions");
  return {};
}
template <class Group>
WARPFUZZ_FN coalesced_group split_ranks(const Group& group, unsigned int size) {
  const unsigned rank = group.thread_rank() / size;
  return coalesced_group(coalesced_group(group.warpfuzz_mask()).lanes_of(rank * size, size), rank,
                         (group.size() + size - 1) / size);
}
WARPFUZZ_FN coalesced_group tiled_partition(const thread_block&, unsigned int size) {
  const unsigned lanes = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << (::warpfuzz::cpu::lane_id() & ~(size - 1));
  return coalesced_group(lanes, thread_block::thread_rank() / size, (thread_block::num_threads() + size - 1) / size);
}
WARPFUZZ_FN coalesced_group tiled_partition(const coalesced_group& group, unsigned int size) {
  return split_ranks(group, size);
}
template <class Group>
WARPFUZZ_FN coalesced_group binary_partition(const Group& group, bool predicate, WARPFUZZ_SITE) {
  const unsigned votes = __ballot_sync(group.warpfuzz_mask(), predicate, site);
  return coalesced_group(predicate ? votes : group.warpfuzz_mask() & ~votes, predicate, 2);
}
template <class Group, class Label>
WARPFUZZ_FN coalesced_group labeled_partition(const Group& group, Label label, WARPFUZZ_SITE) {
  return coalesced_group(__match_any_sync(group.warpfuzz_mask(), label, site));
}

WARPFUZZ_FN void sync(const thread_block&, WARPFUZZ_SITE) { ::warpfuzz::cpu::sync_threads(site); }
WARPFUZZ_FN void sync(const lane_group& group, WARPFUZZ_SITE) { group.sync(site); }
template <class Group>
WARPFUZZ_FN auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
WARPFUZZ_FN auto group_size(const Group& group) {
  return group.size();
}

template <class T = void>
struct plus {
  WARPFUZZ_FN T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  WARPFUZZ_FN T operator()(T a, T b) const { return b < a ? b : a; }
};  // the smaller
template <class T = void>
struct greater {
  WARPFUZZ_FN T operator()(T a, T b) const { return a < b ? b : a; }
};  // the larger
template <class T = void>
struct bit_and {
  WARPFUZZ_FN T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  WARPFUZZ_FN T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  WARPFUZZ_FN T operator()(T a, T b) const { return a ^ b; }
};
template <>
struct plus<void> {
  template <class T>
  WARPFUZZ_FN T operator()(T a, T b) const {
    return a + b;
  }
};

// Over tiles by exchange with the partner lane, as on a device; over other groups in the order of ranks.
template <class Group, class T, class Op>
WARPFUZZ_FN T reduce(const Group& group, T value, Op op, WARPFUZZ_SITE) {
  const unsigned size = group.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned lanes = size / 2; lanes > 0; lanes /= 2) value = op(value, group.shfl_xor(value, lanes, site));
    return value;
  }
  T total = group.shfl(value, 0, site);
  for (unsigned rank = 1; rank < size; ++rank) total = op(total, group.shfl(value, int(rank), site));
  return total;
}
template <class Group, class T, class Op>
WARPFUZZ_FN T inclusive_scan(const Group& group, T value, Op op, WARPFUZZ_SITE) {
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T before = group.shfl_up(value, delta, site);
    if (group.thread_rank() >= delta) value = op(before, value);
  }
  return value;
}
template <class Group, class T>
WARPFUZZ_FN T inclusive_scan(const Group& group, T value, WARPFUZZ_SITE) {
  return inclusive_scan(group, value, plus<T>(), site);
}
template <class Group, class T, class Op>
WARPFUZZ_FN T exclusive_scan(const Group& group, T value, Op op, WARPFUZZ_SITE) {
  const T before = group.shfl_up(inclusive_scan(group, value, op, site), 1, site);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
WARPFUZZ_FN T exclusive_scan(const Group& group, T value, WARPFUZZ_SITE) {
  return exclusive_scan(group, value, plus<T>(), site);
}

}  // namespace cooperative_groups
