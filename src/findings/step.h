// The runs that one case may have, and how they are called in reports and messages.
#pragma once
#include <cstdint>

#include "base/fields/names.h"

namespace warpfuzz {

enum class Step : std::uint8_t { base, other_order, second_call, checked };

inline constexpr NameTable<Step, 4> kStepNames{"run of a case",
                                               {{Step::base, "base run"},
                                                {Step::other_order, "other order"},
                                                {Step::second_call, "second call"},
                                                {Step::checked, "checked build"}}};
constexpr const auto& names_of(Step) { return kStepNames; }
constexpr std::string_view step_name(Step s) { return kStepNames.name(s); }

}  // namespace warpfuzz
