// What an operator accepts: dims, dtypes, tensors, scalars, flags and the constraints between them.
// A schema is plain data plus a few pure functions; a target narrows a copy of it. At most 8 dims, 8 scalars,
// 8 flags and 8 tensors (the fixed slots of the case encoding, docs/encoding.md).
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "numeric/dtype.h"

namespace warpfuzz {

inline constexpr int kMaxDims = 8, kMaxScalars = 8, kMaxFlags = 8, kMaxTensors = 8;
using Dims = std::array<std::uint32_t, kMaxDims>;  // unused entries are 0

struct DimSpec {
  std::string name;
  std::uint32_t max = 1024;
  std::uint32_t min = 1;          // 0 where the op allows an empty dim
  std::uint32_t multiple_of = 1;  // a target's narrowing; decoding clamps to it
  bool independent = false;       // its slices never meet (heads, query rows): few of them show what many would
  // A derived dim is not in the bytes' meaning: it is computed from the others (after their repair).
  std::function<std::uint32_t(const Dims&)> derive = nullptr;
};

enum class Role : std::uint8_t { in, out, inout, workspace };
// Which dtype a tensor has.
enum class TensorType : std::uint8_t {
  in,       // the inputs' of the case's combination
  out,      // the outputs'
  fp32,     // fp32 in every case
  index32,  // indices below the extent of a dim, as int
  index64   // the same as long long
};

// Contiguous is always allowed.
struct Layouts {
  bool offset = false;   // the first element lies behind the start of the allocation
  bool padded = false;   // rows are further apart than they are long
  bool stride0 = false;  // all rows are the same memory (a broadcast)
};

struct TensorSpec {
  std::string name;
  Role role = Role::in;
  std::vector<int> shape = {};  // dim indices, outermost first; a negative entry -n means the constant n
  TensorType type = TensorType::in;
  bool optional = false;      // may be absent (a null pointer)
  Layouts layouts = {};       // what the kernel supports beside contiguous
  int top_exponent = 127;     // fills stay below 2^(top + 1); specials and overrides do not
  int index_dim = -1;         // index tensors: values are in [0, dims[index_dim])
  bool out_of_range = false;  // index tensors: the op defines what an index outside of that range does
  // In-place alias: an inout tensor's contents before the run are its input.
};

struct ScalarSpec {
  std::string name;
  std::vector<double> values;
};  // the byte is an index into values
struct FlagSpec {
  std::string name;
};  // bit i of the flags byte

// One entry of the dtype byte: fp16,fp16->fp32 is {"fp16->fp32", f16, f32}.
struct DTypeCombo {
  std::string name;
  DType in, out;
};
DTypeCombo same_dtype(DType t);
DTypeCombo mixed_dtype(DType in, DType out);

// A repair of dims or scalars so that a relation holds (N % H == 0, out = f(in)): deterministic and idempotent.
struct Constraint {
  std::string text;
  std::function<void(Dims&)> repair;
  std::function<bool(const Dims&)> holds;
};

struct Schema {
  std::string op;  // "softmax"
  std::vector<DTypeCombo> dtypes;
  std::vector<DimSpec> dims;
  std::vector<TensorSpec> tensors;
  std::vector<ScalarSpec> scalars;
  std::vector<FlagSpec> flags;
  std::vector<Constraint> constraints;
  std::uint64_t max_elements = 1u << 20;           // over all tensors together
  std::uint64_t max_work = 1u << 24;               // multiply-adds (or element visits), by `work`
  std::function<std::uint64_t(const Dims&)> work;  // empty: the number of elements
  bool second_call = true;                         // the encoding's `calls` field may ask for a second call

  int dim_index(std::string_view name) const;  // -1 where there is none; the same for the other two
  int tensor_index(std::string_view name) const;
  int scalar_index(std::string_view name) const;
  int flag_index(std::string_view name) const;
  // Empty when well formed, otherwise one line: what is wrong, where, what to do.
  std::string validate() const;
};

}  // namespace warpfuzz
