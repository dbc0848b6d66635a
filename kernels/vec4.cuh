// Four elements as one access of 16 bytes (float) or 8 bytes (16-bit types), as fp32 values. The address must be a
// multiple of that.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Four 16-bit elements as one 8-byte access.
struct __align__(8) Half4 {
  __half2 lo, hi;
};
struct __align__(8) Bfloat4 {
  __nv_bfloat162 lo, hi;
};

__device__ __forceinline__ float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }
__device__ __forceinline__ float4 load4(const __half* p) {
  const Half4 v = *reinterpret_cast<const Half4*>(p);
  const float2 lo = __half22float2(v.lo), hi = __half22float2(v.hi);
  return make_float4(lo.x, lo.y, hi.x, hi.y);
}
__device__ __forceinline__ float4 load4(const __nv_bfloat16* p) {
  const Bfloat4 v = *reinterpret_cast<const Bfloat4*>(p);
  const float2 lo = __bfloat1622float2(v.lo), hi = __bfloat1622float2(v.hi);
  return make_float4(lo.x, lo.y, hi.x, hi.y);
}

__device__ __forceinline__ void store4(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }
__device__ __forceinline__ void store4(__half* p, float4 v) {
  Half4 packed;
  packed.lo = __floats2half2_rn(v.x, v.y);
  packed.hi = __floats2half2_rn(v.z, v.w);
  *reinterpret_cast<Half4*>(p) = packed;
}
__device__ __forceinline__ void store4(__nv_bfloat16* p, float4 v) {
  Bfloat4 packed;
  packed.lo = __floats2bfloat162_rn(v.x, v.y);
  packed.hi = __floats2bfloat162_rn(v.z, v.w);
  *reinterpret_cast<Bfloat4*>(p) = packed;
}
