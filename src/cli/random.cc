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

int run(const Context& c, const Options& o) {
  const std::string target = plain_target(o.target);
  TargetClient client(target_binary(c, target));
  json request{{"cases", o.cases}, {"seed", o.seed}, {"stop", !o.all}};
  if (!o.dtype.empty()) {
    check_dtype(must(client.ask("describe", json::object(), c.limit(kQuickSeconds))), o.dtype);
    request["dtype"] = o.dtype;
  }
  const Reply r = client.ask("random", request, c.timeout);
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  json j = r.answer;
  if (r.died) {  // the fault ended the process: what it had counted is lost, unless the event says it
    j = {{"died", true}, {"keys", {{r.died->key, 1}}}, {"message", r.died->message}};
    if (r.died->json.contains("executions")) j["executions"] = j["first_finding"] = r.died->json["executions"];
  }
  j["target"] = target;
  j["seed"] = o.seed;
  if (c.json) {
    print_json(j);
    return kExitOk;
  }
  const std::string count =
      j.contains("executions") ? fmt::format("{:.0f}", number_of(j, "executions")) : fmt::format("at most {}", o.cases);
  std::string out = fmt::format("{}, seed {}: {} random cases\n", target, o.seed, count);
  if (r.died) out += fmt::format("  the process died of {}: {}\n", r.died->key, r.died->message);
  const double first = number_of(j, "first_finding");
  if (j.contains("first_finding"))
    out += first > 0 ? fmt::format("  first finding at execution {:.0f}\n", first) : "  no finding\n";
  const json keys = j.value("keys", json::object()), unspecified = j.value("unspecified", json::object());
  for (const auto& [key, count] : keys.items()) out += fmt::format("  {:>8} {}\n", count.dump(), printable(key, false));
  for (const auto& [reason, share] : unspecified.items()) {
    if (share.is_number())
      out += fmt::format("  unspecified, {}: {:.3g} % of the elements\n", printable(reason, false),
                         100 * share.get<double>());
  }
  if (!r.died)
    out +=
        fmt::format("  drift {:.0f}, largest error / bound {:.3g}\n", number_of(j, "drift"), number_of(j, "max_ratio"));
  print(out);
  return kExitOk;
}

}  // namespace

extern const Command kRandom{"random", "The baseline of pure random cases", declare, run};

}  // namespace warpfuzz::cli
