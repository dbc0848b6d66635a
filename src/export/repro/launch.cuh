// What the launcher sees: the tensors, dims, scalars and flags of this one case, under the names that WarpFuzz gives them.
namespace repro {

enum class DType { f32, f16, bf16, f64, i32, i64, u8 };
inline constexpr DType f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16;
template <class T>
inline constexpr DType kDTypeOf = DType::f32;
template <>
inline constexpr DType kDTypeOf<__half> = DType::f16;
template <>
inline constexpr DType kDTypeOf<__nv_bfloat16> = DType::bf16;
enum class Role { in, out, inout, workspace };

struct Tensor {
  std::string_view name;
  Role role;
  DType dtype;
  std::vector<long long> shape, strides;  // outermost first; strides in elements
  long long offset, storage;              // in elements: where element (0,...,0) lies, and what is allocated
  bool present;
  // Contents of memory that nobody has written, by variant: of elements, and of the padding between them.
  std::uint64_t poison[2], padding[2];
};
template <class T>
struct Named {
  std::string_view name;
  T value;
};
struct Contents {
  int call, tensor;
  const char* bits;
};
struct Allowed {
  int call, tensor;
  const char *lo, *hi, *rules;
};
template <class List>
const auto& find(const List& list, std::string_view name) {
  for (const auto& item : list)
    if (item.name == name) return item;
  std::fprintf(stderr, "repro: the launcher asks for '%.*s', which this case does not have\n", int(name.size()),
               name.data());
  std::exit(3);
}

extern const std::vector<Tensor> tensors;
extern const std::vector<Named<int>> dims;
extern const std::vector<Named<double>> scalars;
extern const std::vector<Named<bool>> flags;

class Launch {
 public:
  // data[k]: address of element (0,...,0) of tensor k, null where absent.
  Launch(const std::vector<void*>& data, cudaStream_t stream) : data_(data), stream_(stream) {}
  template <class T>
  const T* in(std::string_view tensor) const {
    return static_cast<const T*>(pointer(tensor));
  }
  template <class T>
  T* out(std::string_view tensor) const {
    return static_cast<T*>(pointer(tensor));
  }
  bool has(std::string_view tensor) const { return pointer(tensor) != nullptr; }
  std::int64_t stride(std::string_view tensor, int axis) const {
    return find(tensors, tensor).strides.at(std::size_t(axis));
  }
  int dim(std::string_view name) const { return find(dims, name).value; }
  double scalar(std::string_view name) const { return find(scalars, name).value; }
  bool flag(std::string_view name) const { return find(flags, name).value; }
  cudaStream_t stream() const { return stream_; }
  DType in_dtype() const { return kDTypeOf<In>; }
  DType out_dtype() const { return kDTypeOf<Out>; }
  template <class F>
  void for_dtype(F&& f) const {
    f.template operator()<In>();
  }
  template <class F>
  void for_dtypes(F&& f) const {
    f.template operator()<In, Out>();
  }

 private:
  void* pointer(std::string_view tensor) const { return data_[std::size_t(&find(tensors, tensor) - tensors.data())]; }
  const std::vector<void*>& data_;
  cudaStream_t stream_;
};

}  // namespace repro
