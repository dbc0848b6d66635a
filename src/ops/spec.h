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
  std::uint32_t min = 1, max = 0xffffffff, multiple_of = 1;
};
constexpr DimRange at_most(std::uint32_t n) { return {1, n, 1}; }
constexpr DimRange at_least(std::uint32_t n) { return {n, 0xffffffff, 1}; }
constexpr DimRange between(std::uint32_t lo, std::uint32_t hi) { return {lo, hi, 1}; }
constexpr DimRange exactly(std::uint32_t n) { return {n, n, 1}; }
constexpr DimRange multiple_of(std::uint32_t n, std::uint32_t max = 0xffffffff) { return {n, max, n}; }

class TargetSpec {
 public:
  explicit TargetSpec(Op op) : op_(std::move(op)), builtin_(true) {}

  // Narrowing. A name that the schema lacks, or an empty range, is kept as an error that validate() reports.
  TargetSpec& dtypes(std::initializer_list<DType> same);        // in = out
  TargetSpec& mixed(std::initializer_list<DTypeCombo> combos);  // added behind those of dtypes()
  // The largest value may lie beyond the op's own, which is for targets that declare none.
  TargetSpec& where(std::string_view dim, DimRange range);
  TargetSpec& scalar(std::string_view name, std::vector<double> values);
  TargetSpec& layouts(std::string_view tensor, Layouts supported);
  TargetSpec& require(std::string_view tensor);  // an optional tensor that this kernel needs
  TargetSpec& constraint(Constraint c);
  TargetSpec& caps(std::uint64_t max_elements, std::uint64_t max_work);
  TargetSpec& workspace(std::string name, TensorType type, std::vector<std::string> shape);  // dim names
  TargetSpec& launch_parameter(std::string name, std::vector<double> values);  // a scalar that only the launcher reads
  TargetSpec& single_call();

  // A well-known way to compute the op, of Op::algorithms: what other tools would test it with follows it, no verdict of ours does.
  TargetSpec& algorithm(std::string_view name);

  // Dialects, by the names of docs/oracle.md: "fast", "tc", "var=naive", "barriers=strict", "form=tanh", ...
  TargetSpec& dialect(std::string_view name);

  // A schema and reference of the target's own (ops/value_reference.h makes one from values and an error model).
  //   TargetSpec::custom("scale").dim("n", 4096).input("x", {"n"}).output("y", {"n"}).reference(...)
  static TargetSpec custom(std::string op_name);
  TargetSpec& dim(std::string name, std::uint32_t max, std::uint32_t min = 1);
  TargetSpec& input(std::string name, std::vector<std::string> shape);
  TargetSpec& output(std::string name, std::vector<std::string> shape);
  TargetSpec& reference(ReferenceFn fn);

  const Op& op() const { return op_; }
  const Schema& schema() const { return op_.schema; }
  const Dialects& dialects() const { return dialects_; }
  std::string_view algorithm() const { return algorithm_; }  // "" where none is declared
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
