// The arithmetic that a kernel may use, as the references see it: roundoff, underflow, flushing of subnormals.
#pragma once
#include <cmath>

#include "numeric/sum_bound.h"
#include "ops/op.h"

namespace warpfuzz {

struct Arith {
  static constexpr double u = 0x1p-24;
  static constexpr double overflow = kOverflowShare * kFloatMax;

  bool flush_inputs, flush_results;
  double eta;  // absolute error of one operation that underflows
  DType in, out;
  SumModel sum;  // fp32 accumulation, or 16-bit under the dialect acc=16
  const Dialects& dialects;

  explicit Arith(const RefContext& c)
      : flush_inputs(c.ftz()),
        flush_results(c.compute_ftz()),
        eta(flush_results ? 0x1p-125 : 0x1p-148),
        in(c.in_dtype),
        out(c.out_dtype),
        sum(sum_model(c.row, flush_results, c.dialects.acc16 && c.in_dtype != DType::f32 ? c.in_dtype : DType::f32)),
        dialects(c.dialects) {}

  bool flushes(double x) const { return flush_inputs && x != 0 && std::fabs(x) < kFloatMinNormal; }
  double flushed(double x) const { return flushes(x) ? std::fabs(x) : 0; }
};

}  // namespace warpfuzz
