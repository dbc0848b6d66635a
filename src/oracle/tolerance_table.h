// The tolerance table as a file format: parsing with one clear line for whatever is wrong.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "numeric/tolerance.h"

namespace warpfuzz {

// What a row rests on: the trusted kernel ("control") that came closest to the bound, and the lower-precision twin that
// the row tells from it.
struct Evidence {
  std::uint64_t runs = 0, seed = 0;
  double max_ratio = 0, p99 = 0;  // of error / bound
  std::string control, twin;      // targets; twin "" where no bound is needed
  double twin_failed = 0;         // share of the cases that the twin fails
  std::string device, date;
  int table_version = 0;  // that it was measured with
};

struct ToleranceTable {
  int version = 0;
  std::map<std::string, ToleranceRow, std::less<>> rows;  // "matmul.fp16", "matmul.fp16.tc", "default.fp32"
  std::map<std::string, Evidence, std::less<>> evidence;  // by the name of the row
  std::string error;                                      // one line; empty when the table is usable
};
ToleranceTable parse_tolerance_table(std::string_view text, std::string_view file_name);
std::string_view tolerance_table_text();  // src/oracle/tolerances.toml, compiled in
const Evidence* tolerance_evidence(
    std::string_view row_name);  // of the table that is compiled in; null where there is none

}  // namespace warpfuzz
