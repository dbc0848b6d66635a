// The parser, filled from the list of subcommands.
#include "cli/parser/command_line.h"

#include "cli/parser/misspelt.h"
#include "cli/parser/shared_options.h"

namespace warpfuzz::cli {

CommandLine::CommandLine()
    : app_("warpfuzz: findings of the fuzz targets of this build. Exit codes: docs/exit-codes.md", "warpfuzz") {
  app_.require_subcommand(1);
  app_.add_option("--bin", context.bin, "Folder of the target binaries (default: the one of this executable)")
      ->type_name("DIR");
  add_seconds(app_, "--timeout", context.timeout, "Seconds that one request to a target may take")
      ->type_name("SECONDS");
  app_.add_flag("--json", context.json, "Print JSON");
  for (const Command* command : commands()) add(*command);
}

void CommandLine::add(const Command& command) {
  CLI::App* sub = app_.add_subcommand(command.name, command.what);
  sub->fallthrough();  // --json and --bin may stand behind the command
  sub->callback([this, run = command.add(*sub)] { run_ = run; });
}

std::string CommandLine::help() const {
  for (const CLI::App* s : app_.get_subcommands()) return s->help();
  return app_.help();
}

std::string CommandLine::problem(int argc, char** argv, const std::string& said) const {
  for (const std::string& unknown : {unknown_command(app_, argc, argv), unknown_option(app_)})
    if (!unknown.empty()) return unknown;
  return said;
}

}  // namespace warpfuzz::cli
