// What a target's launcher sees: typed pointers to the tensors of the case, dims, scalars, flags. for_dtype() and the
// CUDA element types come with warpfuzz/target.h; this header needs no CUDA.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "schema/fill/fill.h"
#include "schema/target_code.h"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace warpfuzz {

template <class T>
struct DTypeOf;  // value: the DType of an element type; float, int here, __half and others in target.h
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<int> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<long long> {
  static constexpr DType value = DType::i64;
};

class Launch {
 public:
  // Made by the backend. data[k]: address of element (0,...,0) of tensor k, null where absent.
  Launch(const Schema& s, const TestCase& c, std::span<void* const> data, CUstream_st* stream)
      : schema_(s), case_(c), data_(data), stream_(stream) {}

  // An asking that does not fit the schema (no such name, another element type) ends the process with one clear line and the exit
  // code of a target error.

  // device pointer to element (0,...,0) of a tensor that the kernel reads; null where an optional one is absent
  template <class T>
  const T* in(std::string_view tensor) const {
    return static_cast<const T*>(pointer(tensor, DTypeOf<T>::value, false));
  }
  // the same of a tensor that the kernel writes: outputs, in-place tensors, workspaces
  template <class T>
  T* out(std::string_view tensor) const {
    return static_cast<T*>(pointer(tensor, DTypeOf<T>::value, true));
  }
  bool has(std::string_view tensor) const;                       // whether an optional tensor is there
  std::int64_t stride(std::string_view tensor, int axis) const;  // elements from one index of that axis to the next
  int dim(std::string_view name) const;                          // extent of a dim, by the schema's name
  double scalar(std::string_view name) const;                    // value of a scalar, such as eps
  bool flag(std::string_view name) const;                        // a flag, such as causal
  CUstream_st* stream() const { return stream_; }                // a cudaStream_t: launch on it
  DType in_dtype() const;                                        // element type of the inputs
  DType out_dtype() const;                                       // element type of the outputs

  // calls f.template operator()<T>(), T being the C++ type of in_dtype(): float, __half or __nv_bfloat16
  template <class F>
  void for_dtype(F&& f) const;
  // the same with two types: f.template operator()<In, Out>()
  template <class F>
  void for_dtypes(F&& f) const;

 private:
  void* pointer(std::string_view tensor, DType expected, bool writes) const;
  const Schema& schema_;
  const TestCase& case_;
  std::span<void* const> data_;
  CUstream_st* stream_;
};

}  // namespace warpfuzz
