// What the device runtime needs of the machine, for tests of the pass: one thread, a warp of one lane, on the CPU.
#pragma once
#define WF_DEVICE static
#define WF_CONSTANT static
#define WF_GLOBAL
#define WF_INLINE static __attribute__((always_inline, used, nodebug))
#define WF_COLD static __attribute__((noinline, cold, used, nodebug))

extern "C" {
// Set by the test.
inline u32 wf_host_block[3] = {}, wf_host_blocks[3] = {1, 1, 1}, wf_host_thread[3] = {};
inline u64 wf_host_global_begin = 0, wf_host_global_end = ~0ull;  // the addresses that count as global memory
inline u32 wf_host_stores = 0;                                    // atomic updates made

WF_INLINE u32 wf_block_index(int axis) { return wf_host_block[axis]; }
WF_INLINE u32 wf_block_count(int axis) { return wf_host_blocks[axis]; }
WF_INLINE u32 wf_thread_index(int axis) { return wf_host_thread[axis]; }
WF_INLINE u32 wf_lanes() { return 1; }
WF_INLINE u32 wf_elected(u32) { return 1; }
WF_INLINE u32 wf_highest(u32 x) { return x == 0 ? ~0u : 31u - static_cast<u32>(__builtin_clz(x)); }
WF_INLINE u32 wf_highest64(u64 x) { return x == 0 ? ~0u : 63u - static_cast<u32>(__builtin_clzll(x)); }
WF_INLINE u32 wf_any(u32 condition, u32) { return condition != 0; }
WF_INLINE u32 wf_any_bits(u32 bits, u32) { return bits; }
WF_INLINE void wf_or(u32* word, u32 bits) { *word |= bits, ++wf_host_stores; }
WF_INLINE bool wf_claim(u64* word) { return *word == 0 && (*word = 1); }
WF_INLINE bool wf_is_global(u64 address) { return address >= wf_host_global_begin && address < wf_host_global_end; }
}  // extern "C"
