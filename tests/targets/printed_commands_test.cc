// Every command that is printed runs as it is printed: in a folder with a space in its name, targets beside the command or not.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/exit_codes.h"
#include "command.h"
#include "findings/finding.h"

namespace targets_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTarget = "softmax_padded";

std::string plain(std::string html) {
  for (const auto& [entity, text] : {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""),
                                     std::pair("&#39;", "'"), std::pair("&amp;", "&")})
    for (std::size_t at = 0; (at = html.find(entity, at)) != std::string::npos; ++at)
      html.replace(at, std::string_view(entity).size(), text);
  return html;
}

// What follows a colon, a label or a tag and begins with the path of a program of WarpFuzz, to the end of the line or tag.
std::set<std::string> commands_in(const std::string& output) {
  static const std::regex command(
      R"re((?:^|: |see |replay  +|<code>|<pre>)((?:'(?:[^'\n]*/)?(?:warpfuzz|fuzz_\w+)'|(?:[^\s'"<>]*/)?(?:warpfuzz|fuzz_\w+)) [^\n<"#]*))re",
      std::regex::multiline);
  std::set<std::string> found;
  for (std::sregex_iterator it(output.begin(), output.end(), command), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

class PrintedCommands : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = scratch_.make("a folder");
    fs::create_directories(folder_ / "crashes/new" / kTarget);
  }

  CommandResult shell(const std::string& line) {
    return run_command({"/usr/bin/env", "-C", folder_.string(), "/bin/sh", "-c", line}, "", 300);
  }
  std::string saved(const std::string& name) const { return read_text(folder_ / name); }

  // A campaign that finds something, then everything that prints a command. `command`: warpfuzz, as a shell takes it.
  std::set<std::string> all_printed(const std::string& command) {
    EXPECT_EQ(shell(command + " run " + kTarget + " --time 15 --seed 7").exit_code, warpfuzz::kExitFinding);
    const std::vector<fs::path> files = scratch_.files(".wfz");
    EXPECT_FALSE(files.empty());
    if (files.empty()) return {};
    // A name that only quotes carry.
    const fs::path odd = files[0].parent_path() / "it's one; $(x).wfz";
    fs::copy_file(files[0], odd);
    std::string text;
    for (const fs::path& file : {files[0], odd}) {
      std::string quoted;
      for (const char c : file.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      for (const std::string what :
           {"show", "show --json", "replay --report", "shrink --seconds 1", "export --cu repro.cu"}) {
        const CommandResult r = shell(command + " " + what + " '" + quoted + "'");
        EXPECT_TRUE(r.exit_code == 0 || r.exit_code == warpfuzz::kExitNotSmaller) << what << ": " << r.all();
        if (what == "show --json")
          text += "replay: " + nlohmann::json::parse(r.output).at("replay").get<std::string>() + "\n";
        else text += r.all();
      }
    }
    const CommandResult report =
        shell(command + " report --html page.html --sarif log.sarif --junit tests.xml && " + command + " list");
    EXPECT_EQ(report.exit_code, 0) << report.all();
    EXPECT_EQ(shell(command + " bogus").exit_code, warpfuzz::kExitUsage);
    text += report.all() + shell(command + " bogus").all() + plain(saved("page.html")) + plain(saved("tests.xml"));
    return commands_in(text);
  }

  void expect_to_run(const std::set<std::string>& commands) {
    std::set<std::string> kinds;
    for (const std::string& line : commands) {
      const CommandResult r = shell(line);
      EXPECT_TRUE(r.exit_code == 0 || r.exit_code == warpfuzz::kExitFinding || r.exit_code == warpfuzz::kExitNotSmaller)
          << r.exit_code << " of: " << line << "\n"
          << r.all();
      for (const char* kind : {"fuzz_softmax_padded", " show ", " export ", " --help"})
        if (line.find(kind) != std::string::npos) kinds.insert(kind);
    }
    EXPECT_THAT(kinds, testing::UnorderedElementsAre("fuzz_softmax_padded", " show ", " export ", " --help"))
        << testing::PrintToString(commands);
  }

  ScratchFolder scratch_;
  fs::path folder_;
};

TEST_F(PrintedCommands, RunWithTheTargetsBesideTheCommand) {
  expect_to_run(all_printed("'" WARPFUZZ_TEST_BIN "/warpfuzz'"));
}

TEST_F(PrintedCommands, RunInAProjectWhoseTargetsLieElsewhere) {
  fs::create_directory(folder_ / "own targets");
  for (const std::string& name : {std::string("fuzz_") + kTarget, std::string("targets.json")})
    fs::create_symlink(std::string(WARPFUZZ_TEST_BIN "/") + name, folder_ / "own targets" / name);
  const std::set<std::string> commands = all_printed("'" WARPFUZZ_TEST_BIN "/warpfuzz' --bin 'own targets'");
  expect_to_run(commands);
  EXPECT_THAT(commands, testing::Contains(testing::HasSubstr("--bin 'own targets'")));
  EXPECT_THAT(commands, testing::Contains(testing::StartsWith("'./own targets/fuzz_softmax_padded' ")));
}

}  // namespace
}  // namespace targets_test
