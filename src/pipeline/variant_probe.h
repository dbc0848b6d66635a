// Which variant a failing case is: special values among its inputs are replaced by ordinary ones, and the kernel is asked
// again. A pure function of the case and the build.
#pragma once
#include <string>

#include "pipeline/run_case.h"

namespace warpfuzz {

// Whether every value of its inputs is ordinary (findings/variant.h).
bool has_ordinary_inputs(const Target& target, const CaseResult& r);

// `ordinary` where all inputs are, or where one of four ways to replace those that are not fails in the same class: by 1 of
// the same sign, by an ordinary number of a like size (2^-10, 3 or 10000), by 0, by various numbers between 0.5 and 2.
// Else `special`. "" for a class without variants. Runs the kernel only where the inputs hold special values.
std::string find_variant(const Target& target, Backend& backend, const CaseResult& r);

// A case of `ordinary` inputs that fails in the same class: r itself, or r with its special values taken out of the recipe.
// r as it is where there is none.
CaseResult ordinary_form(const Target& target, Backend& backend, const CaseResult& r);

// Whether a simpler case shows the same variant as the one that is being shrunk.
class VariantKeeper {
 public:
  VariantKeeper(const Target& target, Backend& backend, const CaseResult& start);
  bool keeps(const CaseResult& candidate) const;

 private:
  const Target& target_;
  Backend& backend_;
  std::string variant_;
  bool ordinary_inputs_;
};

}  // namespace warpfuzz
