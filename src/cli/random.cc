// `warpfuzz random`: what uniformly random cases find, the baseline of any guided search.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string target, dtype;
  std::uint64_t cases = 1000, seed = 1;
  bool all = false;  // go on behind the first finding
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  a.add_option("--cases", o.cases, "How many cases at most")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  a.add_option("--seed", o.seed, "Seed of the cases")->required();
  add_dtype(a, o.dtype, "Hold the element type");
  a.add_flag("--all", o.all, "Go on behind the first finding");
}

// A fault ended the process: what it had counted is lost, unless the event says it.
json death_json(const FaultMessage& died) {
  json j{{"died", true}, {"keys", {{died.key, 1}}}, {"message", died.message}};
  if (died.executions) j["executions"] = j["first_finding"] = *died.executions;
  return j;
}
std::string death_text(const FaultMessage& died, std::uint64_t cases) {
  const std::string count = died.executions ? fmt::format("{}", *died.executions) : fmt::format("at most {}", cases);
  std::string out = fmt::format("{} random cases\n  the process died of {}: {}\n", count, died.key, died.message);
  if (died.executions) out += fmt::format("  first finding at execution {}\n", *died.executions);
  return out + fmt::format("  {:>8} {}\n", 1, died.key);
}

std::string tally_text(const RandomTally& t) {
  std::string out = fmt::format("{} random cases\n", t.executions);
  out += t.first_finding ? fmt::format("  first finding at execution {}\n", t.first_finding) : "  no finding\n";
  for (const auto& [key, count] : t.keys) out += fmt::format("  {:>8} {}\n", count, key);
  for (const auto& [reason, share] : t.unspecified)
    out += fmt::format("  unspecified, {}: {:.3g} % of the elements\n", reason, 100 * share);
  return out + fmt::format("  drift {}, largest error / bound {:.3g}\n", t.drift, t.max_ratio);
}

int run(const Context& c, const Options& o) {
  const std::string target = plain_target(o.target);
  TargetClient client(target_binary(c, target));
  RandomRequest request{o.cases, o.seed, {}, !o.all, {}, {}};
  if (!o.dtype.empty()) {
    check_dtype(must(client.ask(DescribeRequest{}, c.limit(kQuickSeconds))), o.dtype);
    request.dtype = o.dtype;
  }
  const Reply<RandomTally> r = client.ask(request, c.timeout);
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  if (c.json) {
    json j = r.died ? death_json(*r.died) : to_message(r.answer);
    j["target"] = target;
    j["seed"] = o.seed;
    print_json(j);
  } else {
    print(fmt::format("{}, seed {}: {}", target, o.seed, r.died ? death_text(*r.died, o.cases) : tally_text(r.answer)));
  }
  return kExitOk;
}

}  // namespace

extern const Command kRandom{"random", "The baseline of pure random cases", declare, run};

}  // namespace warpfuzz::cli
