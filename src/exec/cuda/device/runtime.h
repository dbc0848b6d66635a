// The device runtime: what the compiler pass calls at edges, compares, accesses and returns, and then inlines.
//
// A thread keeps the bits of its edges and the classes of its compares in registers and merges them into the state block when a
// function returns, one lane for its warp, and only what is missing there: after the first warps hardly anything is written.
#pragma once

extern "C" {

WF_INLINE WF_GLOBAL char* wf_address(u32 offset) { return (WF_GLOBAL char*)wf_state + offset; }
WF_INLINE WF_GLOBAL u32* wf_word(u32 offset) { return (WF_GLOBAL u32*)wf_address(offset); }
// An ordinary load, from the nearest cache: a stale value costs one more update and no more.
WF_INLINE u32 wf_seen(u32 offset) { return *wf_word(offset); }

// 0 where the block's compares are recorded, all ones elsewhere. Of a grid over 64 blocks, those of its corners and one in 16:
// they see the classes that all see, at a fraction of the cost. Edges are never sampled: one block's edge would be lost.
WF_INLINE u32 wf_unsampled() {
  const u32 x = wf_block_index(0), y = wf_block_index(1), z = wf_block_index(2);
  const u32 nx = wf_block_count(0), ny = wf_block_count(1), nz = wf_block_count(2);
  const bool small = static_cast<u64>(nx) * ny * nz <= 64;
  const bool corner = (x == 0 || x == nx - 1) & (y == 0 || y == ny - 1) & (z == 0 || z == nz - 1);
  u32 h = x * 0x9E3779B1u + y * 0x85EBCA77u + z * 0x27D4EB2Fu;
  h = (h ^ (h >> 15)) * 0xC2B2AE3Du;
  return (small | corner | ((h >> 16 & 15) == 0)) ? 0 : ~0u;
}

// Class of a pair: 0 when equal, else 1 + floor(log2 |a - b|), at most 31. Differences are taken modulo 2^32 or 2^64.
WF_INLINE u32 wf_class32(u32 a, u32 b) {
  const int d = static_cast<int>(a - b);
  const u32 n = wf_highest(static_cast<u32>(d < 0 ? 0 - static_cast<u32>(d) : d)) + 1;
  return n < 31 ? n : 31;
}
WF_INLINE u32 wf_class64(u64 a, u64 b) {
  const long long d = static_cast<long long>(a - b);
  const u32 n = wf_highest64(d < 0 ? 0 - static_cast<u64>(d) : static_cast<u64>(d)) + 1;
  return n < 31 ? n : 31;
}

// The first pair of its kind that this thread sees: far, near (|a - b| in 1..7), equal. Threads overwrite each other's; any
// pair of a kind will do.
WF_INLINE void wf_keep_pair(u32 seen, u32 n, u32 a, u32 b, u32 pairs) {
  const u32 kind = n == 0 ? 2 : n < 4 ? 1 : 0;
  const u32 same = n == 0 ? 1u : n < 4 ? 0xeu : 0xfffffff0u;
  if ((seen & same) == 0) { *(WF_GLOBAL u64*)(wf_address(pairs) + 8 * kind) = static_cast<u64>(b) << 32 | a; }
}

// Returns the classes seen, this one included.
WF_INLINE u32 wf_compare_(u32 seen, u32 n, u32 a, u32 b, u32 pairs) {
  const u32 bit = 1u << n;
  if (__builtin_expect((seen & bit) != 0, 1)) return seen;
  wf_keep_pair(seen, n, a, b, pairs);
  return seen | bit;
}
WF_INLINE u32 wf_compare32(u32 seen, u32 a, u32 b, u32 pairs) {
  return wf_compare_(seen, wf_class32(a, b), a, b, pairs);
}
WF_INLINE u32 wf_compare64(u32 seen, u64 a, u64 b, u32 pairs) {
  return wf_compare_(seen, wf_class64(a, b), static_cast<u32>(a), static_cast<u32>(b), pairs);
}

// The same without a register: for compares and edges beyond those that a function has registers for.
WF_INLINE void wf_compare_memory_(u32 unsampled, u32 n, u32 a, u32 b, u32 classes, u32 pairs) {
  if (unsampled != 0) return;
  const u32 seen = wf_seen(classes), bit = 1u << n;
  if (__builtin_expect((seen & bit) != 0, 1)) return;
  const u32 lanes = wf_lanes(), bits = wf_any_bits(bit, lanes);
  if (wf_elected(lanes)) wf_or(wf_word(classes), bits);
  wf_keep_pair(seen, n, a, b, pairs);
}
WF_INLINE void wf_compare32_memory(u32 unsampled, u32 a, u32 b, u32 classes, u32 pairs) {
  wf_compare_memory_(unsampled, wf_class32(a, b), a, b, classes, pairs);
}
WF_INLINE void wf_compare64_memory(u32 unsampled, u64 a, u64 b, u32 classes, u32 pairs) {
  wf_compare_memory_(unsampled, wf_class64(a, b), static_cast<u32>(a), static_cast<u32>(b), classes, pairs);
}
WF_INLINE void wf_edge_memory(u32 word, u32 bit) {
  if (__builtin_expect((wf_seen(word) & bit) == 0, 0) && wf_elected(wf_lanes())) wf_or(wf_word(word), bit);
}

// At a return, where some lane has news: `bits` of this thread into a word.
WF_INLINE void wf_merge(u32 bits, u32 word, u32 lanes, u32 elected) {
  const u32 missing = wf_any_bits(bits & ~wf_seen(word), lanes);
  if (missing != 0 && elected != 0) wf_or(wf_word(word), missing);
}

// Where reads and writes out of bounds go, so that the kernel continues: NaNs of every type to read, anything to write.
WF_DEVICE u64 wf_poison[kScratchBytes / 8] __attribute__((used)) = WF_POISON;
WF_DEVICE u64 wf_sink[kScratchBytes / 8] __attribute__((used)) = {};

// False: the access is fine after all. True: it's out of bounds, and the first one of the run is on record.
WF_COLD bool wf_outside(u64 address, u32 size, u32 access, const char* where) {
  if (!wf_is_global(address)) return false;
  auto* state = reinterpret_cast<warpfuzz::cuda::StateHeader*>(wf_state);
  for (u32 i = 0, n = state->range_count; i < n; ++i) {
    const u64 begin = state->ranges[i].begin, end = state->ranges[i].end;
    if (address >= begin && address < end && end - address >= size) return false;
  }
  warpfuzz::cuda::DeviceFinding& f = state->finding;
  if (wf_claim(reinterpret_cast<u64*>(&f.claimed))) {
    f.address = address, f.size = size, f.access = access, f.where = reinterpret_cast<u64>(where);
    for (int axis = 0; axis < 3; ++axis) f.block[axis] = wf_block_index(axis), f.thread[axis] = wf_thread_index(axis);
  }
  return true;
}
WF_INLINE const void* wf_instead(u32 access) { return access == 0 ? static_cast<const void*>(wf_poison) : wf_sink; }

// The address to use: p, or scratch memory where the access is out of bounds. A tensor's slot is known by the high half of its
// address, so one comparison tells, to the byte. off + size - 1 wraps only just below a tensor's start, where off itself is large.
WF_INLINE const void* wf_check(const void* p, u32 size, u32 access, const char* where) {
  const u64 address = reinterpret_cast<u64>(p);
  u32 slot = static_cast<u32>(address >> 32) - wf_slot_base;
  slot = slot < warpfuzz::cuda::kSlots ? slot : warpfuzz::cuda::kSlots;
  const u64 entry = *(WF_GLOBAL const u64*)wf_address(offsetof(warpfuzz::cuda::StateHeader, bounds) + 8 * slot);
  const u32 off = static_cast<u32>(address) - static_cast<u32>(entry), last = off + (size - 1);
  if (__builtin_expect((off > last ? off : last) >= static_cast<u32>(entry >> 32), 0) &&
      wf_outside(address, size, access, where)) {
    return wf_instead(access);
  }
  return p;
}
// The same for a device variable, whose size the compiler knows.
WF_INLINE const void* wf_check_object(const void* p, const void* object, u64 bytes, u32 size, u32 access,
                                      const char* where) {
  const u64 off = reinterpret_cast<u64>(p) - reinterpret_cast<u64>(object), last = off + (size - 1);
  if (__builtin_expect((off > last ? off : last) >= bytes, 0) &&
      wf_outside(reinterpret_cast<u64>(p), size, access, where)) {
    return wf_instead(access);
  }
  return p;
}

}  // extern "C"
