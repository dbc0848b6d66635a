// How far the executions of a campaign went along each dim, from the last words of a target's processes.
#pragma once
#include <string>
#include <string_view>

namespace warpfuzz::cli {

// "rows 1..128, largest tried 128; cols 1..4096, largest tried 4018": the line about dims among what a process printed; "" where there is none.
std::string dims_line(std::string_view output);

// Two such lines of one target as one: of each dim the larger one that was tried. Where they are not of the same dims, the second.
std::string merge_dims(const std::string& before, const std::string& now);

}  // namespace warpfuzz::cli
