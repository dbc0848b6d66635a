// The special table of overrides and rates. Append-only: stored cases hold indices into it. Entries 2i and 2i+1 below
// kPairedSpecials are each other's negation.
#include "schema/fill/fill.h"

#include <cmath>
#include <limits>

#include "numeric/round.h"

namespace warpfuzz {
namespace {

constexpr const char* kNames[kSpecialCount] = {
    "0",   "-0",   "min_subnormal", "-min_subnormal", "min_normal",    "-min_normal",
    "max", "-max", "Inf",           "-Inf",           "NaN",           "1e4",
    "1",   "-1",   "above_1",       "below_1",        "max_subnormal", "square_overflow"};

}  // namespace

const char* special_name(int index) { return kNames[index]; }

double special_value(int index, DType t) {
  const DTypeInfo& f = info(t);
  const double inf = f.floating ? std::numeric_limits<double>::infinity() : f.max;
  switch (index) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return f.min_subnormal;
    case 3: return -f.min_subnormal;
    case 4: return f.min_normal;
    case 5: return -f.min_normal;
    case 6: return f.max;
    case 7: return -f.max;
    case 8: return inf;
    case 9: return -inf;
    case 10: return f.floating ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    case 11: return round_to(t, 1e4);
    case 12: return 1.0;
    case 13: return -1.0;
    case 14: return next_in(t, 1.0, true);
    case 15: return next_in(t, 1.0, false);
    case 16: return next_in(t, f.min_normal, false);
    default: {  // the smallest power of two whose square is beyond max
      if (!f.floating) return f.max;
      return std::ldexp(1.0, (2 - f.emin) / 2);
    }
  }
}

}  // namespace warpfuzz
