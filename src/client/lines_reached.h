// Which source lines of a kernel the inputs of a campaign reach: asked from its target at the end of a run, kept in the index as
// JSON text, and shown by reports.
#pragma once
#include <string>
#include <vector>

namespace warpfuzz::cli {

// {"cases":N,"of":N,"ended":N,"files":[{"file":"...","lines":N,"reached":N,"not_reached":[[57,57],[61,63]]}]}, or {"why":"..."} where
// it could not be measured. of: inputs there are; ended: those left out because they end the process. Takes `seconds` and a
// little more; nothing that the target does is an error.
std::string measure_lines(const std::string& binary, std::vector<std::string> paths, double seconds);

// For people: "41 of 43 reached by 12 inputs (softmax.cu 26 of 28, block_reduce.cuh 15 of 15); not reached: softmax.cu:57, 61-63",
// or "not measured" and why. "" is what an index says of a target that was not asked.
std::string lines_text(const std::string& stored);

}  // namespace warpfuzz::cli
