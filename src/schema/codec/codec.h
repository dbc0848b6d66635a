// Bytes <-> TestCase, as docs/encoding.md specifies. decode() is total; encode() is canonical.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "schema/test_case.h"

namespace warpfuzz {

TestCase decode(const Schema& schema, std::span<const std::uint8_t> bytes);
Bytes encode(const Schema& schema, const TestCase& c);
inline Bytes canonical(const Schema& schema, std::span<const std::uint8_t> bytes) {
  return encode(schema, decode(schema, bytes));
}
// Dims, scalars and the rest brought within the schema and its caps: the step that decode() ends with. Idempotent.
void repair(const Schema& schema, TestCase& c);

// The readable form (*.case). parse_text fills `expect` from the `expect:` line ("pass" where absent).
std::string to_text(const Schema& schema, const TestCase& c, std::string_view expect = "pass");
struct ParsedCase {
  TestCase test_case;
  std::string expect;
  std::string error;
};  // error: "line 3: dim 'cols': expected 1..4096, got 0; ..."
ParsedCase parse_text(const Schema& schema, std::string_view text);

// One line for reports: "softmax fp16 rows=7 cols=129 x=normal".
std::string summary(const Schema& schema, const TestCase& c);

}  // namespace warpfuzz
