// `warpfuzz encode` and `decode`: text to bytes and back, as the target reads them.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
#include "findings/exit_codes.h"
#include "findings/json_fields.h"

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

void write_output(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (const std::string error = write_file(path, bytes); !error.empty()) throw Failure(kExitCannotWrite, error);
}

}  // namespace

int encode(const Context& c, const CodeOptions& o) {
  const Bytes text = read_input(o.file);
  TargetClient client(target_binary(c, plain_target(o.target)));
  Reply r = client.ask("encode", {{"text", std::string(text.begin(), text.end())}}, c.limit(kQuickSeconds));
  if (r.exit_code == kExitTargetError)
    throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(o.file, false), r.error));
  const json answer = must(std::move(r));
  const std::optional<Bytes> bytes = from_hex(text_of(answer, "bytes"));
  if (!bytes) throw Failure(kExitNoTarget, "the target's answer to 'encode' holds no bytes");
  if (!o.out.empty() && o.out != "-") write_output(o.out, *bytes);
  if (c.json) {
    print_json({{"bytes", to_hex(*bytes)}, {"expect", text_of(answer, "expect")}});
  } else if (o.out == "-") {
    print(std::string(bytes->begin(), bytes->end()));
  } else if (o.out.empty()) {
    print(to_hex(*bytes) + "\n");
  }
  return kExitOk;
}

int decode(const Context& c, const CodeOptions& o) {
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
  if (!o.out.empty() && o.out != "-")
    write_output(o.out, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  if (c.json)
    print_json({{"text", text}, {"summary", text_of(answer, "summary")}, {"bytes", text_of(answer, "bytes")}});
  else if (o.out.empty() || o.out == "-")
    print(text);
  return kExitOk;
}

}  // namespace warpfuzz::cli
