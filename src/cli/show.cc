// `warpfuzz show`: the report of a .wfz, without its target; any other case as its target reads it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "client/printed_command.h"
#include "findings/finding_json.h"
#include "findings/variant.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string file, target;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FILE", o.file, ".wfz, .case or raw case")->required();
  a.add_option("--target", o.target, "Target of a file that is no .wfz (default: the name of its folder)");
}

json tensors_with_data(json header, const std::vector<TensorSnapshot>& tensors, const char* key) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(tensors[i].data.data());
    header[key][i]["data"] = to_hex({data, tensors[i].data.size()});
  }
  return header;
}

int show_finding(const Context& c, const CaseFile& file) {
  const Finding& f = *file.finding;
  const std::string command = replay_command(c, f.target, file.path);
  if (!c.json) {
    print(report(f, command));
    return kExitOk;
  }
  json header = to_json(f, true, true);
  header = tensors_with_data(tensors_with_data(std::move(header), f.inputs, "in"), f.outputs, "out");
  print_json({{"file", file.path},
              {"key", bucket_key(f)},
              {"variant", variant_of(f)},
              {"finding", header},
              {"bytes", to_hex(f.bytes)},
              {"elements", input_elements(f)},
              {"report", report(f, command)},
              {"replay", command}});
  return kExitOk;
}

int run(const Context& c, const Options& o) {
  const CaseFile file = load(o.file);
  if (file.finding) return show_finding(c, file);
  const std::string target = target_of(file, o.target);
  TargetClient client(target_binary(c, target));
  Encoded encoded{file.bytes, ""};
  if (file.kind == CaseFile::Kind::text) encoded = encode_case(c, client, file.path, file.text);
  const Decoded decoded = must(client.ask(DecodeRequest{encoded.bytes}, c.limit(kQuickSeconds)));
  const std::string command = replay_command(c, target, file.path);
  if (c.json) {
    json j = to_message(decoded);
    j.update({{"file", file.path}, {"target", target}, {"replay", command}});
    if (!encoded.expect.empty()) j["expect"] = encoded.expect;
    print_json(j);
    return kExitOk;
  }
  print(fmt::format("{}\n\n{}\nreplay: {}\n", decoded.summary, decoded.text, command));
  return kExitOk;
}

}  // namespace

extern const Command kShow{"show", "Print the report of a finding, or a case as its target reads it", declare, run};

}  // namespace warpfuzz::cli
