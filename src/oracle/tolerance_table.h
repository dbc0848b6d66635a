// The tolerance table as a file format: parsing with one clear line for whatever is wrong.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "numeric/tolerance.h"

namespace warpfuzz {

struct ToleranceTable {
  int version = 0;
  std::map<std::string, ToleranceRow, std::less<>> rows;  // "matmul.fp16", "matmul.fp16.tc", "default.fp32"
  std::string error;                                      // one line; empty when the table is usable
};
ToleranceTable parse_tolerance_table(std::string_view text, std::string_view file_name);
std::string_view tolerance_table_text();  // src/oracle/tolerances.toml, compiled in

}  // namespace warpfuzz
