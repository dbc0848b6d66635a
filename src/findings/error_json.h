// Error records as JSON by themselves, for callers that have no message around them.
#pragma once
#include <string>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "findings/error_fields.h"

namespace warpfuzz {

inline nlohmann::json to_json(const ErrorRecord& r) { return to_message(r); }
inline nlohmann::json to_json(const ErrorStats& s) { return to_message(s); }

// "" or one line; `name` is the object's path in messages.
inline std::string from_json(const nlohmann::json& j, const std::string& name, ErrorStats& s) {
  return read_message(j, s, name, Form::compact);
}

// [{"dtype", "fill", ...}]: `whole` with histograms, else as records.
inline nlohmann::json to_json(const ErrorTable& t, bool whole) {
  nlohmann::json list = nlohmann::json::array();
  if (whole)
    for (const auto& l : labelled(t)) list.push_back(to_message(l));
  else
    for (const auto& l : summarised(t)) list.push_back(to_message(l));
  return list;
}
inline std::string from_json(const nlohmann::json& list, ErrorTable& t) {  // of the whole form
  if (!list.is_array()) return "records: expected a list";
  for (const nlohmann::json& j : list) {
    Labelled<ErrorStats> l;
    if (const std::string error = read_message(j, l, "records"); !error.empty()) return error;
    merge({l}, t);
  }
  return "";
}

}  // namespace warpfuzz
