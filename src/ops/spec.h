// A target's view of an op: a copy that is narrowed to what the kernel supports, with the dialects it declares.
//   ops::softmax().dtypes({f32, f16, bf16}).where("cols", at_most(4096))
#pragma once
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace warpfuzz {

inline constexpr DType f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16;

// The values of one dim that a kernel supports; without a max, up to the op's own.
struct DimRange {
  std::uint32_t min = 1, max = 0xffffffff, multiple_of = 1;  // both ends are tried
};
constexpr DimRange at_most(std::uint32_t n) { return {1, n, 1}; }                       // 1 to n
constexpr DimRange at_least(std::uint32_t n) { return {n, 0xffffffff, 1}; }             // n to the op's own
constexpr DimRange between(std::uint32_t lo, std::uint32_t hi) { return {lo, hi, 1}; }  // lo to hi
constexpr DimRange exactly(std::uint32_t n) { return {n, n, 1}; }                       // n alone
constexpr DimRange multiple_of(std::uint32_t n, std::uint32_t max = 0xffffffff) {
  return {n, max, n};
}  // n, 2 n, 3 n ...

class TargetSpec {
 public:
  // that of a built-in op, by which ops::softmax() and its like are made
  explicit TargetSpec(Op op) : op_(std::move(op)), builtin_(true) {}

  // Narrowing. A name that the schema lacks, or an empty range, is kept as an error that validate() reports.

  TargetSpec& dtypes(std::initializer_list<DType> same);        // element types that it takes, inputs and outputs alike
  TargetSpec& mixed(std::initializer_list<DTypeCombo> combos);  // types whose outputs differ, behind those of dtypes()
  // range of a dim: at_most(4096), multiple_of(4) ...; the largest value may lie beyond the op's own, which is for targets that
  // declare none
  TargetSpec& where(std::string_view dim, DimRange range);
  TargetSpec& scalar(std::string_view name, std::vector<double> values);  // the values of a scalar that are tried
  TargetSpec& layouts(std::string_view tensor, Layouts supported);        // what it takes beside contiguous tensors
  TargetSpec& require(std::string_view tensor);                           // an optional tensor that this kernel needs
  TargetSpec& constraint(Constraint c);  // a relation of dims, with the repair that makes it hold
  // the most elements of all tensors together, and the most work (multiply-adds) of a case
  TargetSpec& caps(std::uint64_t max_elements, std::uint64_t max_work);
  // memory that the launcher needs beside its tensors; the shape by names of dims
  TargetSpec& workspace(std::string name, TensorType type, std::vector<std::string> shape);
  TargetSpec& launch_parameter(std::string name, std::vector<double> values);  // a scalar that only the launcher reads
  TargetSpec& single_call();  // the kernel may not be called twice on the same buffers

  // a well-known way to compute the op, of Op::algorithms: what other tools would test it with follows it, no verdict of ours does
  TargetSpec& algorithm(std::string_view name);
  // a difference from the op's usual semantics, by the names of docs/oracle.md: "fast", "tc", "var=naive", "form=tanh" ...
  TargetSpec& dialect(std::string_view name);

  // A schema and reference of the target's own (ops/value_reference.h makes one from values and an error model):
  //   TargetSpec::custom("scale").dim("n", 4096).input("x", {"n"}).output("y", {"n"}).reference(...)

  static TargetSpec custom(std::string op_name);                                // an op without dims or tensors yet
  TargetSpec& dim(std::string name, std::uint32_t max, std::uint32_t min = 1);  // a dim and its range
  TargetSpec& input(std::string name, std::vector<std::string> shape);          // an input; its shape by names of dims
  TargetSpec& output(std::string name, std::vector<std::string> shape);         // an output; the same
  TargetSpec& reference(ReferenceFn fn);                                        // values and bounds of the outputs

  // What came of it, for the engine:

  const Op& op() const { return op_; }                       // as narrowed
  const Schema& schema() const { return op_.schema; }        // of op()
  const Dialects& dialects() const { return dialects_; }     // as declared
  std::string_view algorithm() const { return algorithm_; }  // "" where none is declared
  // whether where() gave the dim a largest value
  bool declares_max(std::size_t dim) const { return max_declared_[dim]; }
  const std::vector<std::string>& narrowings() const { return narrowings_; }  // readable, for -help=1 and reports
  std::string validate() const;                                               // empty when usable, else one line

 private:
  TargetSpec& fail(std::string message);  // the first error stays
  TargetSpec& add_tensor(TensorSpec t, const std::vector<std::string>& shape);
  TargetSpec& note(std::string_view topic, std::string text);  // replaces an earlier narrowing of the same topic

  Op op_;
  Dialects dialects_;
  std::vector<std::string> narrowings_, topics_;
  std::string error_;
  std::string_view algorithm_;  // of the op's own, which last as long as the program
  bool dtypes_set_ = false, builtin_ = false;
  std::array<bool, kMaxDims> max_declared_{};
};

// Sets the dialect of that name; "" or one line that lists the known names.
std::string declare_dialect(Dialects& d, std::string_view name);
std::vector<std::string> declared_dialects(const Dialects& d);  // the names that are set
const std::vector<std::string>& dialect_names();                // "form=..." and "via=..." stand for those of an op

// The registry of the built-in ops: ops::softmax() and so on. ops/ops.def is the list and says what each computes.
namespace ops {
#define WARPFUZZ_OP(NAME, ...) TargetSpec NAME();
#include "ops/ops.def"
#undef WARPFUZZ_OP
std::vector<Op> all();
}  // namespace ops

}  // namespace warpfuzz
