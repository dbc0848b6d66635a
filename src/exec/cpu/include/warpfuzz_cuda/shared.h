// Shared memory: what the source rewriter turns `__shared__` declarations into.
//   __shared__ float a[32][33];      typedef float wfT_a[32][33];
//                                    wfT_a& a = ::warpfuzz::cpu::shared_array<wfT_a>("a", {__FILE__, __LINE__, 0}, []{});
//   extern __shared__ float4 d[];    float4* d = ::warpfuzz::cpu::dynamic_shared<float4>();  (or a use of DynamicShared<T>)
#pragma once
#include <cstddef>
#include <type_traits>

#include "warpfuzz_cuda/base.h"

namespace warpfuzz::cpu {

// True when the slot's storage belongs to another block. On x86-64 the comparison is hidden in assembly: epochs are
// unique for a process, so a comparison that the engine can see would make features depend on what ran before.
inline __attribute__((always_inline)) bool shared_slot_stale(const SharedSlot& slot) {
#if defined(__x86_64__)
  asm goto("cmpq %0, %1\n\tjne %l2" : : "m"(slot.epoch), "r"(warpfuzz_block_epoch) : "cc" : stale);
  return false;
stale:
  return true;
#else
  return slot.epoch != warpfuzz_block_epoch;
#endif
}

// Tag is a lambda of the declaration itself, a type of its own for each declaration and template instance. align: what the
// declaration asks for beyond its type (__align__, alignas), else 0.
template <class T, class Tag>
inline __attribute__((always_inline)) T& shared_array(const char* name, Site site, Tag, std::size_t align = 0) {
  static_assert(!std::is_reference_v<T>);
  using Element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  static constinit SharedSlot slot;
  if (__builtin_expect(shared_slot_stale(slot), 0)) {
    shared_storage(slot, sizeof(T), align > alignof(T) ? align : alignof(T), sizeof(T) / sizeof(Element), name, site);
  }
  return *static_cast<T*>(slot.data);
}

template <class T>
inline __attribute__((always_inline)) T* dynamic_shared() {
  return static_cast<T*>(warpfuzz_dynamic_shared);
}

// For `extern __shared__ T n[]` at namespace scope: an object that stands for the pointer of the running launch.
template <class T>
struct DynamicShared {
  operator T*() const { return dynamic_shared<T>(); }
  T* operator&() const { return dynamic_shared<T>(); }
  T& operator*() const { return *dynamic_shared<T>(); }
  T* operator->() const { return dynamic_shared<T>(); }
  template <class I>
  T& operator[](I i) const {
    return dynamic_shared<T>()[i];
  }
  template <class I>
  T* operator+(I i) const {
    return dynamic_shared<T>() + i;
  }
};

}  // namespace warpfuzz::cpu
