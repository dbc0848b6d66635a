// One descriptor per operator: schema, fp64 reference and per-element error bound, used alike by the fuzzer, replay,
// tests and calibration.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/tolerance.h"
#include "schema/test_case.h"

namespace warpfuzz {

// What is required of one output element beside the interval (docs/oracle.md).
enum ElementFlag : std::uint8_t {
  kAny = 1,          // unspecified: everything is accepted; `reason` says why
  kNanOk = 2,        // NaN is accepted too
  kNanRequired = 4,  // NaN and nothing else
  kZeroOk = 8,       // zero is accepted too
  kNonFinite = 16,   // any NaN or Inf
  kBitEqual = 32,    // a copy: the bits of round_to(r), the sign of zero included
};
enum class Reason : std::uint8_t { none, overflow, ill_conditioned, flush_meets_inf, input_rounding, infinite_weight };
const char* reason_name(Reason r);  // "overflow", "ill-conditioned", "flush meets Inf", ...

// The reference of one output tensor, row-major: r the exact value (fp64), e and e_rig the absolute error bounds of
// the two tiers before the final store.
struct Reference {
  std::vector<double> r, e, e_rig;  // value, tight bound, rigorous bound; e <= e_rig
  std::vector<std::uint8_t> flags;  // of ElementFlag, together
  std::vector<Reason> reason;       // why an element is unspecified
  void resize(std::size_t n);       // to n elements, all of them 0
};

// The parts of one element's allowance ("accumulation", "exp", "FTZ", ...), for reports.
struct Explanation {
  int tensor = -1;
  std::size_t element = 0;
  std::vector<std::pair<std::string, double>> parts;  // largest first after the reference has run
  bool wants(int t, std::size_t first, std::size_t n) const {
    return tensor == t && element >= first && element - first < n;
  }
  void set(std::vector<std::pair<std::string, double>> p);  // sorted, zeros dropped
};

struct RefContext {
  const Schema& schema;                    // of the op, as the target narrowed it
  const TestCase& test_case;               // dims, scalars and flags of this case
  std::span<const std::vector<float>> in;  // per tensor, row-major logical elements; empty where absent or pure output
  const ToleranceRow& row;                 // constants of the bound for this op and dtype
  const Dialects& dialects;                // as the target declares them
  DType in_dtype, out_dtype;               // of this case
  Explanation* explain = nullptr;          // the parts of one element's bound, where somebody asks for them
  std::uint32_t dim(std::string_view name) const;  // an extent, by the schema's name
  double scalar(std::string_view name) const;      // a scalar's value, by the schema's name
  // Inputs may be flushed (never fp16: its conversion to fp32 is exact) / results of the fp32 arithmetic may.
  bool ftz() const { return compute_ftz() && in_dtype != DType::f16; }
  bool compute_ftz() const { return row.ftz && !dialects.no_ftz; }
};
// refs has one entry per tensor of the schema; the reference resizes and fills those of outputs.
using ReferenceFn = std::function<void(const RefContext&, std::vector<Reference>& refs)>;

struct Op {
  Schema schema;
  ReferenceFn reference;
  // Values of Dialects::form; where there are any, a target declares one: the first is no default.
  std::vector<std::string> forms = {};
  std::vector<std::string> vias = {};  // values of Dialects::via, which a target may declare
  // Values of TargetSpec::algorithm: "flash" of attention, which others test with dims of its own.
  std::span<const std::string_view> algorithms = {};
  std::string summary;  // one line for people
};

}  // namespace warpfuzz
