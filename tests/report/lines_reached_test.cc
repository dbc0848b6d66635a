// Lines of a kernel that a corpus reaches: asked at the end of a run, kept in the index, shown by the page.
#include "client/lines_reached.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/exit_codes.h"
#include "cli_fixture.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class LinesReachedTest : public testing_cli::CliTest {
 protected:
  void put(const std::string& name) {
    fs::create_directories(fs::path(in(name)).parent_path());
    std::ofstream(in(name)) << "xyz";
  }
  std::string page_after_run(const std::string& target, const std::string& options = "") {
    const testing_cli::Output o = run("run " + target + " --workers 1 --time 1 --folder '" + folder_ + "' " + options);
    EXPECT_EQ(o.code, target == "untold" ? kExitFinding : kExitOk) << o.out << o.err;
    return run("report --folder '" + folder_ + "' --html -").out;
  }
};

TEST_F(LinesReachedTest, ThePageSaysWhichLinesWereNotReached) {
  put("corpus/busy/a"), put("corpus/busy/b");
  EXPECT_THAT(page_after_run("busy"),
              HasSubstr("lines: 39 of 43 reached by 2 inputs (fake.cu 24 of 28, &lt;b&gt;.cuh 15 "
                        "of 15); not reached: fake.cu:57, 61-63<"));
}

TEST_F(LinesReachedTest, AnInputThatEndsTheProcessIsLeftOut) {
  put("corpus/busy/a"), put("corpus/busy/b-ends"), put("corpus/busy/c");
  EXPECT_THAT(page_after_run("busy"), HasSubstr("reached by 2 inputs, without 1 that ends the process (fake.cu"));
}

TEST_F(LinesReachedTest, TooManyOfThemAndItIsNotMeasured) {
  for (int i = 0; i < 9; ++i) put("corpus/busy/" + std::to_string(i) + "-ends");
  EXPECT_THAT(page_after_run("busy"), HasSubstr("lines: not measured: more than 5 inputs end the process"));
}

TEST_F(LinesReachedTest, ABackendThatCannotTellIsSaid) {
  put("corpus/untold/a");
  EXPECT_THAT(page_after_run("untold"), HasSubstr("lines: not measured: this backend counts no lines"));
}

TEST_F(LinesReachedTest, ARunWithoutChoresAsksNobody) {
  put("corpus/busy/a");
  EXPECT_THAT(page_after_run("busy", "--chores 0"), HasSubstr("lines: not measured<"));
}

TEST_F(LinesReachedTest, WhatAnIndexHoldsMayBeAnything) {
  EXPECT_EQ(lines_text(""), "not measured");
  EXPECT_THAT(lines_text("{"), HasSubstr("not measured"));
  EXPECT_THAT(lines_text("[1]"), HasSubstr("not measured"));
  for (const char* text :
       {R"({"files":7})", R"({"files":[7,{"file":1,"lines":-3,"not_reached":9}],"cases":"x"})", R"({"cases":1e300})",
        R"({"files":[{"file":"a.cu","not_reached":[[1],["x",2],[3,4,5],{}]}]})"})
    EXPECT_THAT(lines_text(text), Not(HasSubstr("\n"))) << text;
}

TEST_F(LinesReachedTest, FilesOfOneNameAreToldApart) {
  EXPECT_EQ(
      lines_text(
          R"({"cases":1,"of":9,"ended":0,"files":[{"file":"/a/k.cu","lines":2,"reached":1,"not_reached":[[5,5]]},{"file":"/b/k.cu","lines":1,"reached":1,"not_reached":[]}]})"),
      "2 of 3 reached by 1 of 9 inputs (/a/k.cu 1 of 2, /b/k.cu 1 of 1); not reached: /a/k.cu:5");
}

}  // namespace
}  // namespace warpfuzz::cli
