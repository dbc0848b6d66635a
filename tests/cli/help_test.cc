// What `warpfuzz` says of itself: --help of each subcommand, and the page that lists them.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/exit_codes.h"
#include "cli/parser/command.h"
#include "cli_fixture.h"

namespace warpfuzz::testing_cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class Help : public CliTest {};

// Where the change is meant, `--help` of `warpfuzz` and of each subcommand, one behind the other, is the new file.
TEST_F(Help, OfEverySubcommandIsAsItsFileSays) {
  std::string said;
  std::vector<std::string> of{""};
  for (const cli::Command* command : cli::commands()) of.push_back(std::string(command->name) + " ");
  for (const std::string& command : of) {
    const Output o = run(command + "--help");
    EXPECT_EQ(o.code, kExitOk) << command << o.err;
    said += o.out;
  }
  EXPECT_EQ(said, text_of_file(WARPFUZZ_HELP_TEXT));
}

// A row of the table starts with its commands: "| `encode TARGET FILE`, `decode TARGET FILE` | ... |".
TEST(CommandsPage, HasARowForEachSubcommand) {
  std::istringstream page(text_of_file(WARPFUZZ_FINDINGS_PAGE));
  std::string rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows += line + "\n";
  for (const cli::Command* command : cli::commands()) {
    const std::string name = "`" + std::string(command->name);
    EXPECT_THAT(rows, AnyOf(HasSubstr(name + " "), HasSubstr(name + "`"))) << "docs/findings.md, \"The command\"";
  }
}

}  // namespace
}  // namespace warpfuzz::testing_cli
