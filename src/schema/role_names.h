// The words for the roles of tensors: in findings, in messages, on pages.
#pragma once
#include "base/fields/names.h"
#include "schema/schema.h"

namespace warpfuzz {

inline constexpr NameTable<Role, 4> kRoleNames{
    "role", {{Role::in, "in"}, {Role::out, "out"}, {Role::inout, "inout"}, {Role::workspace, "workspace"}}};
constexpr const auto& names_of(Role) { return kRoleNames; }

}  // namespace warpfuzz
