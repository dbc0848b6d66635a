// The command `lines` of a real target: the lines that a case reaches are those that the kernel's source marks.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "command.h"

namespace warpfuzz::test {
namespace {

using nlohmann::json;
using targets_test::run_command;
using targets_test::ScratchFolder;

const std::string kBin = WARPFUZZ_TEST_BIN, kSource = std::string(WARPFUZZ_TEST_FAULTS_DIR) + "/branches.cuh";

// By mark at the end of a line: ALWAYS, WIDE, ODD.
std::map<std::string, std::set<int>> marked_lines() {
  std::map<std::string, std::set<int>> marks;
  std::ifstream in(kSource);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const char* mark : {"ALWAYS", "WIDE", "ODD", "FEW"})
      if (line.ends_with(std::string("// ") + mark)) marks[mark].insert(number);
  }
  return marks;
}

std::set<int> numbers(const json& ranges) {
  std::set<int> all;
  for (const json& r : ranges)
    for (int i = r[0]; i <= r[1].get<int>(); ++i) all.insert(i);
  return all;
}

class Lines : public testing::Test {
 protected:
  std::string case_of(int n) {
    const auto file = folder_.path() / (std::to_string(n) + ".case");
    std::ofstream(file) << "n: " << n << "\nx: small_int seed=3\n";
    return file.string();
  }
  json ask(const std::vector<std::string>& paths, json more = json::object()) {
    more["cmd"] = "lines", more["paths"] = paths;
    const auto r = run_command({kBin + "/fuzz_branches", "--warpfuzz-serve"}, more.dump() + "\n");
    EXPECT_EQ(r.exit_code, 0) << r.errors;
    std::istringstream lines(r.output);
    std::string hello, answer;
    std::getline(lines, hello), std::getline(lines, answer);
    return json::parse(answer);
  }
  // Of the marked lines: what code the compiler makes of a closing brace is its own affair.
  void expect_reached(const std::vector<std::string>& paths, const std::set<std::string>& marks) {
    const json j = ask(paths);
    ASSERT_EQ(j["files"].size(), 1u) << j << ": not the target's own file, nor headers of WarpFuzz or CUDA";
    const json& f = j["files"][0];
    EXPECT_EQ(f["file"], kSource);
    EXPECT_EQ(j["cases"], paths.size());
    const std::set<int> yes = numbers(f["reached_lines"]), no = numbers(f["not_reached"]);
    EXPECT_EQ(yes.size(), f["reached"]);
    EXPECT_EQ(yes.size() + no.size(), f["lines"]) << "each line counts once, whatever the instances of its template";
    for (const auto& [mark, lines] : marked_lines())
      for (const int line : lines) {
        EXPECT_EQ(yes.contains(line), marks.contains(mark)) << mark << ", line " << line << ": " << f;
        EXPECT_EQ(no.contains(line), !marks.contains(mark)) << mark << ", line " << line << ": " << f;
      }
  }
  ScratchFolder folder_;
};

TEST_F(Lines, TheMarksAreThere) {
  EXPECT_EQ(marked_lines().size(), 4u);
  EXPECT_GE(marked_lines()["WIDE"].size(), 5u);
}

TEST_F(Lines, NoCaseReachesNone) { expect_reached({}, {}); }
TEST_F(Lines, AnEvenNumberOfFewElements) { expect_reached({case_of(10)}, {"ALWAYS", "FEW"}); }
TEST_F(Lines, AnOddOne) { expect_reached({case_of(11)}, {"ALWAYS", "FEW", "ODD"}); }
TEST_F(Lines, ManyElements) { expect_reached({case_of(70)}, {"ALWAYS", "WIDE"}); }
TEST_F(Lines, TogetherTheyReachAll) { expect_reached({case_of(70), case_of(11)}, {"ALWAYS", "FEW", "ODD", "WIDE"}); }

TEST_F(Lines, TimeThatIsUpEndsIt) {
  const json j = ask(std::vector<std::string>(1000, case_of(70)), {{"seconds", 0.0}});
  EXPECT_EQ(j["cases"], 0) << j;
}

}  // namespace
}  // namespace warpfuzz::test
