// `warpfuzz encode`: a readable case to bytes, as its target reads it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "cli/parser/command.h"
#include "client/output_file.h"

namespace warpfuzz::cli {
namespace {

struct Options {
  std::string target, file, out;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  a.add_option("FILE", o.file, "The .case; - for standard input")->required();
  a.add_option("-o,--out", o.out, "Where to write the bytes; - for standard output (default: as hexadecimal text)");
}

int run(const Context& c, const Options& o) {
  check_outputs(c, {{"-o", o.out}}, {o.file});
  const Bytes text = read_input(o.file);
  TargetClient client(target_binary(c, plain_target(o.target)));
  const Encoded encoded = encode_case(c, client, o.file, std::string(text.begin(), text.end()));
  const Bytes& bytes = encoded.bytes;
  if (!o.out.empty() && o.out != "-") write_output(o.out, bytes);
  if (c.json) {
    print_json(to_message(encoded));
  } else if (o.out == "-") {
    print(std::string(bytes.begin(), bytes.end()));
  } else if (o.out.empty()) {
    print(to_hex(bytes) + "\n");
  }
  return kExitOk;
}

}  // namespace

extern const Command kEncode{"encode", "A readable case to bytes", declare, run};

}  // namespace warpfuzz::cli
