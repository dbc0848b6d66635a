// Names near to what was typed, out of those that the parser knows.
#include "cli/parser/misspelt.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/json_fields.h"
#include "base/nearest_word.h"

namespace warpfuzz::cli {
namespace {

std::string meant(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

// "--out" and "-o" of every option of a command.
void add_options(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
}

bool takes_a_value(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  return option && option->get_items_expected_min() > 0;
}

}  // namespace

std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) {
      i += takes_a_value(app, word);
      continue;
    }
    std::vector<std::string> commands;
    for (const CLI::App* sub : app.get_subcommands(nullptr)) {
      if (sub->get_name() == word) return "";
      commands.push_back(sub->get_name());
    }
    return fmt::format("unknown command '{}'{}", printable(word, false), meant(word, commands));
  }
  return "";
}

std::string unknown_option(const CLI::App& app) {
  std::vector<std::string> known;
  add_options(app, known);
  std::string command = "warpfuzz";
  for (const CLI::App* sub : app.get_subcommands()) {
    command = sub->get_name();
    add_options(*sub, known);
  }
  for (const std::string& left : app.remaining(true)) {
    if (left.size() < 2 || left[0] != '-' || left.find_first_not_of("-0123456789.") == std::string::npos) continue;
    const std::string name = left.substr(0, left.find('='));
    return fmt::format("{} has no option '{}'{}", command, printable(name, false), meant(name, known));
  }
  return "";
}

}  // namespace warpfuzz::cli
