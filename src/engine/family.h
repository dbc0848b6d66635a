// What the processes of one -fork or -jobs have counted, for the summary of their parent. Each process appends a line to the
// parent's file when it ends.
#pragma once
#include <string>

#include "pipeline/tally.h"

namespace warpfuzz {

// Appends to the file of the parent that this process has, if it has one.
void tell_family(const Tally& counted);

// The parent's side. Makes the file and says it to the processes that it will start; "" where it cannot be made.
std::string start_family();
Tally family_total(const std::string& file);  // of those that have ended; removes the file

}  // namespace warpfuzz
