// `warpfuzz decode`: the bytes of a case to text, as its target reads them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "client/output_file.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string target, file, out;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  a.add_option("FILE", o.file, "The case; - for standard input")->required();
  a.add_option("-o,--out", o.out, "Where to write the text (default: standard output)");
}

int run(const Context& c, const Options& o) {
  check_outputs(c, {{"-o", o.out}}, {o.file});
  Bytes bytes = read_input(o.file);
  if (is_wfz(bytes)) {
    Result<Finding> r = from_wfz(bytes);
    if (!r) throw Failure(kExitBadFile, fmt::format("'{}': {}", printable(o.file, false), r.line()));
    CaseFile file;
    file.path = o.file;
    file.finding = *std::move(r);
    check_target(file, plain_target(o.target));
    bytes = file.finding->bytes;
  }
  TargetClient client(target_binary(c, plain_target(o.target)));
  const Decoded decoded = must(client.ask(DecodeRequest{bytes}, c.limit(kQuickSeconds)));
  if (!o.out.empty() && o.out != "-") write_output(o.out, decoded.text);
  if (c.json) print_json(to_message(decoded));
  else if (o.out.empty() || o.out == "-") print(decoded.text);
  return kExitOk;
}

}  // namespace

extern const Command kDecode{"decode", "Bytes (or a .wfz) to a readable case", declare, run};

}  // namespace warpfuzz::cli
