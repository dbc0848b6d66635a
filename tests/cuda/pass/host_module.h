// A sample that the pass instrumented for the CPU: its state block, and how tests read it.
#pragma once
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "exec/cuda/state_block.h"

extern "C" {
extern std::uint32_t wf_host_block[3], wf_host_blocks[3], wf_host_thread[3], wf_host_stores;
extern unsigned long long wf_host_global_begin, wf_host_global_end;
}

namespace warpfuzz::cuda {

class HostModule {
 public:
  explicit HostModule(const ModuleSymbols& symbols) : symbols_(symbols), memory_(bytes() + kStateAlignment) {
    base_ =
        (reinterpret_cast<std::uintptr_t>(memory_.data()) + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
    put(symbols.state, static_cast<std::uint64_t>(base_));
  }
  std::uint32_t count(CountIndex i) const { return static_cast<const volatile std::uint32_t*>(symbols_.counts)[i]; }
  std::size_t bytes() const { return state_bytes(count(kCountEdges), count(kCountCompares)); }
  StateHeader& header() { return *reinterpret_cast<StateHeader*>(base_); }
  void clear() { std::memset(reinterpret_cast<void*>(base_), 0, bytes()); }

  template <class F>
  std::set<int> edges(F&& run) {
    clear();
    run();
    std::set<int> set;
    for (std::uint32_t i = 0; i < count(kCountEdges); ++i) {
      if (word(edge_offset() + 4 * (i / 32)) >> i % 32 & 1) set.insert(static_cast<int>(i));
    }
    return set;
  }

  struct Seen {
    std::uint32_t classes;
    OperandPair pairs[kPairKinds];
  };
  // Of the compares that saw anything.
  template <class F>
  std::vector<Seen> compares(F&& run) {
    clear();
    run();
    std::vector<Seen> seen;
    for (std::uint32_t i = 0; i < count(kCountCompares); ++i) {
      Seen one{word(class_offset(count(kCountEdges)) + 4 * i), {}};
      const std::uint32_t pairs = pair_offset(count(kCountEdges), count(kCountCompares)) + i * sizeof one.pairs;
      std::memcpy(one.pairs, reinterpret_cast<void*>(base_ + pairs), sizeof one.pairs);
      if (one.classes != 0) seen.push_back(one);
    }
    return seen;
  }

  // Tensor k is this memory; slots are told by the high half of addresses, so that on the CPU all tensors share slot 0.
  void set_tensor(const void* begin, std::uint32_t size) {
    clear();
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    put(symbols_.slot_base, static_cast<std::uint32_t>(address >> 32));
    header().bounds[0] = {static_cast<std::uint32_t>(address), size};
  }

 private:
  std::uint32_t word(std::uint32_t offset) const {
    return *reinterpret_cast<const volatile std::uint32_t*>(base_ + offset);
  }
  template <class T>
  static void put(const void* to, T value) {
    std::memcpy(const_cast<void*>(to), &value, sizeof value);
  }

  const ModuleSymbols& symbols_;
  std::vector<std::byte> memory_;
  std::uintptr_t base_ = 0;
};

}  // namespace warpfuzz::cuda
