// The words after `warpfuzz`: what every subcommand takes, and the subcommands, as CLI11 reads them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "cli/parser/command.h"

namespace warpfuzz::cli {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;  // the parser's callbacks point here
  CommandLine& operator=(const CommandLine&) = delete;

  // Throws what CLI11 throws: CLI::CallForHelp, CLI::ParseError.
  void parse(int argc, char** argv) { app_.parse(argc, argv); }
  // Of the subcommand that was named, else of `warpfuzz`.
  std::string help() const;
  // What is wrong with a command line that does not parse: a name that does not exist, or what the parser said.
  std::string problem(int argc, char** argv, const std::string& said) const;
  int run() const { return run_(context); }

  Context context{own_folder(), 0, false};

 private:
  void add(const Command& command);

  CLI::App app_;
  Command::Run run_;  // of the subcommand that was named
};

}  // namespace warpfuzz::cli
