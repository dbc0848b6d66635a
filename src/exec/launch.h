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
  // data[k]: address of element (0,...,0) of tensor k, null where absent.
  Launch(const Schema& s, const TestCase& c, std::span<void* const> data, CUstream_st* stream)
      : schema_(s), case_(c), data_(data), stream_(stream) {}

  // Each ends the process with one clear line when the name or the element type does not fit the schema.
  template <class T>
  const T* in(std::string_view tensor) const {
    return static_cast<const T*>(pointer(tensor, DTypeOf<T>::value, false));
  }
  template <class T>
  T* out(std::string_view tensor) const {
    return static_cast<T*>(pointer(tensor, DTypeOf<T>::value, true));
  }
  bool has(std::string_view tensor) const;                       // optional tensors
  std::int64_t stride(std::string_view tensor, int axis) const;  // elements
  int dim(std::string_view name) const;
  double scalar(std::string_view name) const;
  bool flag(std::string_view name) const;
  CUstream_st* stream() const { return stream_; }
  DType in_dtype() const;
  DType out_dtype() const;

  template <class F>
  void for_dtype(F&& f) const;  // f.template operator()<T>(), T = the case's input type
  template <class F>
  void for_dtypes(F&& f) const;  // f.template operator()<In, Out>()

 private:
  void* pointer(std::string_view tensor, DType expected, bool writes) const;
  const Schema& schema_;
  const TestCase& case_;
  std::span<void* const> data_;
  CUstream_st* stream_;
};

}  // namespace warpfuzz
