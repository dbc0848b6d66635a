// The error record as JSON: the one form that the line protocol, `warpfuzz` and .wfz files use (docs/protocol.md).
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/statistics.h"

namespace warpfuzz {

// Counts, and per quantity max, mean and percentiles, to six digits. Counts of 0 are left out.
nlohmann::json to_json(const ErrorRecord& r);
// "" or one line; `name` is the object's path in messages.
std::string from_json(const nlohmann::json& j, const std::string& name, ErrorRecord& r);

// Whole: with the histograms, so that records of several processes can be merged.
nlohmann::json to_json(const ErrorStats& s);
std::string from_json(const nlohmann::json& j, const std::string& name, ErrorStats& s);

// [{"dtype", "fill", ...}]: `whole` with histograms, else as records.
nlohmann::json to_json(const ErrorTable& t, bool whole);
std::string from_json(const nlohmann::json& list, ErrorTable& t);  // of the whole form

}  // namespace warpfuzz
