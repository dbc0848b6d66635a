// `warpfuzz illusion`: the measured table of what other checks certify.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/exit_codes.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"
#include "illusion/illusion.h"

namespace warpfuzz::cli {
namespace {

struct Options : IllusionOptions {
  bool markdown = false;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.targets, "Kernels (default: the correct ones, planted and subtle bugs)");
  add_dtype(a, o.dtype, "Only this element type");
  a.add_option("--seed", o.seed, "Seed of the checks' inputs and of the campaigns")->check(CLI::Range(1u, 4000000000u));
  a.add_option("--runs", o.runs, "Executions of a campaign at most")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 31));
  a.add_option("--adversarial", o.adversarial,
               "Random cases per correct kernel and dtype for the false-alarm rates; 0: none");
  a.add_option("--jobs", o.jobs, "How many processes at once")->check(CLI::Range(1, 1024));
  a.add_flag("--markdown", o.markdown, "Print the page docs/measured/illusion.md");
}

int run(const Context& c, const Options& o) {
  if (c.json && o.markdown) throw Failure(kExitUsage, "illusion: --json and --markdown exclude each other");
  const Illusion measured = measure_illusion(c, o);
  if (c.json) print_json(illusion_json(measured));
  else print(o.markdown ? illusion_markdown(measured) : illusion_text(measured));
  return measured.good() ? kExitOk : kExitReplayDiffers;
}

}  // namespace

extern const Command kIllusion{
    "illusion", "What the usual checks certify: every kernel of the build's lists by each check, and by a campaign",
    declare, run};

}  // namespace warpfuzz::cli
