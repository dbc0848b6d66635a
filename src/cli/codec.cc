// `warpfuzz encode` and `decode`: text to bytes and back, as the target reads them.
#include <fmt/format.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/commands.h"
#include "client/output_file.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

// "-": standard input.
Bytes read_input(const std::string& path) {
  Bytes bytes;
  const std::string error = read_file(path == "-" ? "/dev/stdin" : path, bytes);
  if (!error.empty()) throw Failure(kExitBadFile, error);
  return bytes;
}

}  // namespace

int encode(const Context& c, const CodeOptions& o) {
  check_outputs(c, {{"-o", o.out}}, {o.file});
  const Bytes text = read_input(o.file);
  TargetClient client(target_binary(c, plain_target(o.target)));
  const EncodedCase encoded = encode_case(c, client, o.file, std::string(text.begin(), text.end()));
  const std::optional<Bytes> bytes = from_hex(encoded.hex);
  if (!bytes) throw Failure(kExitNoTarget, "the target's answer to 'encode' holds no bytes");
  if (!o.out.empty() && o.out != "-") write_output(o.out, *bytes);
  if (c.json) {
    print_json({{"bytes", to_hex(*bytes)}, {"expect", encoded.expect}});
  } else if (o.out == "-") {
    print(std::string(bytes->begin(), bytes->end()));
  } else if (o.out.empty()) {
    print(to_hex(*bytes) + "\n");
  }
  return kExitOk;
}

int decode(const Context& c, const CodeOptions& o) {
  check_outputs(c, {{"-o", o.out}}, {o.file});
  Bytes bytes = read_input(o.file);
  if (is_wfz(bytes)) {
    ReadResult r = from_wfz(bytes);
    if (!r.finding) throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(o.file, false), r.error));
    CaseFile file;
    file.path = o.file;
    file.finding = std::move(r.finding);
    check_target(file, plain_target(o.target));
    bytes = file.finding->bytes;
  }
  TargetClient client(target_binary(c, plain_target(o.target)));
  const json answer = must(client.ask("decode", {{"bytes", to_hex(bytes)}}, c.limit(kQuickSeconds)));
  const std::string text = text_of(answer, "text", true);
  if (!o.out.empty() && o.out != "-") write_output(o.out, text);
  if (c.json)
    print_json({{"text", text}, {"summary", text_of(answer, "summary")}, {"bytes", text_of(answer, "bytes")}});
  else if (o.out.empty() || o.out == "-") print(text);
  return kExitOk;
}

}  // namespace warpfuzz::cli
