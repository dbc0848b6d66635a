// What the device runtime needs of the machine, for GPUs. host.h is its counterpart for the pass's own tests.
#pragma once

// Attributes and built-ins alone, so that it needs no header of CUDA's.
#define WF_DEVICE static __attribute__((device))
#define WF_CONSTANT static __attribute__((constant))
#define WF_GLOBAL __attribute__((address_space(1)))
#define WF_INLINE static __attribute__((device, always_inline, used, nodebug))
#define WF_COLD static __attribute__((device, noinline, cold, used, nodebug))

extern "C" {

WF_INLINE u32 wf_block_index(int axis) {
  return axis == 0   ? __nvvm_read_ptx_sreg_ctaid_x()
         : axis == 1 ? __nvvm_read_ptx_sreg_ctaid_y()
                     : __nvvm_read_ptx_sreg_ctaid_z();
}
WF_INLINE u32 wf_block_count(int axis) {
  return axis == 0   ? __nvvm_read_ptx_sreg_nctaid_x()
         : axis == 1 ? __nvvm_read_ptx_sreg_nctaid_y()
                     : __nvvm_read_ptx_sreg_nctaid_z();
}
WF_INLINE u32 wf_thread_index(int axis) {
  return axis == 0   ? __nvvm_read_ptx_sreg_tid_x()
         : axis == 1 ? __nvvm_read_ptx_sreg_tid_y()
                     : __nvvm_read_ptx_sreg_tid_z();
}

// Lanes that execute this together, and whether this is the lowest of them.
WF_INLINE u32 wf_lanes() {
  u32 lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes) : : "memory");
  return lanes;
}
WF_INLINE u32 wf_elected(u32 lanes) { return (lanes & __nvvm_read_ptx_sreg_lanemask_lt()) == 0; }

// Position of the highest bit, 0xffffffff for 0.
WF_INLINE u32 wf_highest(u32 x) {
  u32 n;
  asm("bfind.u32 %0, %1;" : "=r"(n) : "r"(x));
  return n;
}
WF_INLINE u32 wf_highest64(u64 x) {
  u32 n;
  asm("bfind.u64 %0, %1;" : "=r"(n) : "l"(x));
  return n;
}

WF_INLINE u32 wf_any(u32 condition, u32 lanes) { return __nvvm_vote_any_sync(lanes, condition != 0); }
// The bits that any of the lanes has.
WF_INLINE u32 wf_any_bits(u32 bits, u32 lanes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  u32 all;
  asm volatile("redux.sync.or.b32 %0, %1, %2;" : "=r"(all) : "r"(bits), "r"(lanes) : "memory");
  return all;
#else
  // No redux.sync yet. Lanes may be missing, so that a butterfly would lose some: each lane is asked in turn.
  u32 all = bits;
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    all |= __nvvm_shfl_sync_idx_i32(lanes, static_cast<int>(bits), __builtin_ctz(rest), 0x1f);
  }
  return all;
#endif
}

WF_INLINE void wf_or(WF_GLOBAL u32* word, u32 bits) {
  asm volatile("red.global.or.b32 [%0], %1;" : : "l"((u64)word), "r"(bits) : "memory");
}
WF_INLINE bool wf_claim(u64* word) { return __nvvm_atom_cas_gen_ll(reinterpret_cast<long long*>(word), 0, 1) == 0; }
WF_INLINE bool wf_is_global(u64 address) { return __nvvm_isspacep_global(reinterpret_cast<const void*>(address)); }

}  // extern "C"
