// What a fuzz target includes: the op to judge by, the kernel's limits, and how to launch it.
//
//   #include "kernels/softmax.cu"
//   #include "warpfuzz/target.h"
//   WARPFUZZ_TARGET(softmax, ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096)), [](const Launch& l) {
//     l.for_dtype([&]<class T>() { softmax<T>(l.in<T>("x"), l.out<T>("y"), l.dim("rows"), l.dim("cols"), l.stream()); });
//   });
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "exec/launch.h"
#include "ops/spec.h"
#include "warpfuzz/definition.h"

namespace warpfuzz {

// Elements of other types have no dtype: say so before the compiler's own words.
template <class T>
struct DTypeOf {
  static_assert(sizeof(T) == 0, "in<T>, out<T>: expected T = float, __half, __nv_bfloat16, int or long long");
};
template <>
struct DTypeOf<__half> {
  static constexpr DType value = DType::f16;
};
template <>
struct DTypeOf<__nv_bfloat16> {
  static constexpr DType value = DType::bf16;
};

namespace detail {
template <class F>
void with_dtype(DType t, F&& f) {
  switch (t) {
    case DType::f32: return f.template operator()<float>();
    case DType::f16: return f.template operator()<__half>();
    case DType::bf16: return f.template operator()<__nv_bfloat16>();
    default: target_error("for_dtype: only fp32, fp16 and bf16 have a C++ type here; use in_dtype() for others");
  }
}
}  // namespace detail

template <class F>
void Launch::for_dtype(F&& f) const {
  detail::with_dtype(in_dtype(), f);
}
template <class F>
void Launch::for_dtypes(F&& f) const {
  detail::with_dtype(in_dtype(), [&]<class In>() {
    detail::with_dtype(out_dtype(), [&]<class Out>() { f.template operator()<In, Out>(); });
  });
}

}  // namespace warpfuzz

// The names a definition uses without qualification. Nothing else of warpfuzz is visible there, so that a kernel may
// be called decode or judge.
namespace warpfuzz_target {
using warpfuzz::at_least, warpfuzz::at_most, warpfuzz::between, warpfuzz::exactly, warpfuzz::multiple_of;
using warpfuzz::bf16, warpfuzz::f16, warpfuzz::f32;
using warpfuzz::DType, warpfuzz::DTypeCombo, warpfuzz::mixed_dtype, warpfuzz::same_dtype;
using warpfuzz::Launch, warpfuzz::TargetSpec, warpfuzz::TensorType, warpfuzz::Layouts, warpfuzz::Role;
using warpfuzz::RefContext, warpfuzz::Reference;
namespace ops = warpfuzz::ops;
}  // namespace warpfuzz_target

#define WARPFUZZ_TEXT_(X) #X
#define WARPFUZZ_TEXT(X) WARPFUZZ_TEXT_(X)
#ifdef WARPFUZZ_TARGET_NAME
#define WARPFUZZ_EXPECTED_NAME_ WARPFUZZ_TEXT(WARPFUZZ_TARGET_NAME)
#else
#define WARPFUZZ_EXPECTED_NAME_ ""
#endif

#define WARPFUZZ_TARGET(NAME, ...)                                                                            \
  namespace warpfuzz_target {                                                                                 \
  static_assert(std::string_view(WARPFUZZ_EXPECTED_NAME_).empty() ||                                          \
                    std::string_view(WARPFUZZ_EXPECTED_NAME_) == #NAME,                                       \
                "WARPFUZZ_TARGET: expected the name given to warpfuzz_add_target(), " WARPFUZZ_EXPECTED_NAME_ \
                ", got " #NAME);                                                                              \
  namespace {                                                                                                 \
  const warpfuzz::TargetDefinition& definition() {                                                            \
    static const warpfuzz::TargetDefinition target{#NAME, __VA_ARGS__};                                       \
    return target;                                                                                            \
  }                                                                                                           \
  const warpfuzz::TargetRegistration registration(__FILE__, __LINE__, definition);                            \
  }                                                                                                           \
  }                                                                                                           \
  static_assert(true, "a semicolon ends the definition")
