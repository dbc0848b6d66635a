// How far off a run's outputs are, and how much of that a simpler case must show to stand for the same error.
#pragma once
#include <algorithm>

#include "oracle/verdict.h"

namespace warpfuzz {

// Error / bound of the worst element, as a report prints it; infinite where no number measures it.
inline double worst_ratio(const Verdict& v) { return v.worst.tensor >= 0 ? v.worst.ratio : v.max_ratio; }

// What a simpler case must keep of an error: a gross one that shrinking turned into an error of one ulp would look like a false alarm.
inline double least_ratio(double unshrunk) { return std::min(16.0, unshrunk / 4); }

// Whether a simpler case may stand for the one it came from: the same class, and of class `value` about as far off.
inline bool stands_for(FaultClass simpler, double simpler_ratio, FaultClass unshrunk, double unshrunk_ratio) {
  return simpler == unshrunk && (unshrunk != FaultClass::value || simpler_ratio >= least_ratio(unshrunk_ratio));
}

}  // namespace warpfuzz
