// `warpfuzz report`: a page, SARIF and JUnit XML of a campaign whose names and messages are hostile. Nothing of them becomes markup.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/fields/json_writer.h"
#include "campaign/index.h"
#include "cli_fixture.h"
#include "findings/error_fields.h"
#include "report/markup.h"
#include "report/plots.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "k<script>alert(1)</script>\"'&]]>\x01\x1b[31m\xff\xe2\x80\xae`touch gotcha`";

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

class ReportTest : public testing_cli::CliTest {
 protected:
  // Two targets, one of them with a hostile kernel name and message, and all that a page has plots for.
  void make_campaign() {
    Index index(folder_, true);
    RunRow run;
    run.started = 1000, run.targets = std::string("low <b>") + kHostile, run.backend = "cpu", run.workers = 2,
    run.seed = 7;
    run.id = index.begin_run(run);
    const std::int64_t slice = index.begin_slice("low", 1000);
    index.count(slice, {90000, {{"low/value", 3}, {std::string("low/oob-write/") + kHostile, 2}}}, 1100);
    index.end_slice(slice, 120);
    index.end_slice(index.begin_slice("clean", 1000), 60);
    for (const char* target : {"low", "clean"}) {
      TargetRow t = index.target(target);
      t.op = "fake", t.edges = 50, t.features = 400, t.corpus = 30;
      index.save(t);
      for (int i = 0; i < 5; ++i)
        index.add(target, {1000.0 + 60 * i, std::uint64_t(1000 * i), std::uint64_t(10 + i), std::uint64_t(100 + i),
                           std::uint64_t(i)});
      ErrorStats stats;
      for (int i = 0; i < 1000; ++i) {
        stats.counts.elements++;
        for (LogHistogram* h : {&stats.absolute, &stats.relative, &stats.ulps, &stats.ratios})
          h->add(i % 7 * 0.125 * (target[0] == 'l' ? 40 : 1));
      }
      stats.counts.over = target[0] == 'l' ? 700 : 0;
      index.save(ErrorRow{target, "fake", "corpus", "fp32", "normal", to_message(stats).dump(), 1100});
    }
    Finding f = fake("low", FaultClass::value, 1, 3);
    f.message = "</pre></details>" + std::string(kHostile);
    f.text += "# <img src=x onerror=alert(2)>\n";
    f.attributes["shape"] = "<i>rows</i>";
    save("crashes/new/low/value-1.wfz", f);
    index.add_file("crashes/new/low/value-1.wfz", 700, 1, f, false, 1050);
    Finding g = fake("low", FaultClass::oob_write, 1, 3);
    g.place.kernel = kHostile, g.place.file = folder_ + "/kernels/low <1>.cu", g.place.line = 31;
    g.message = kHostile;
    save("crashes/new/low/oob.wfz", g);
    index.add_file("crashes/new/low/oob.wfz", 800, 1, g, false, 1060);
    run.ended = 1200, run.exit_code = 77, run.new_keys = 2;
    index.end_run(run);
  }
};

TEST(Markup, EveryCharacterShowsAndNoneIsMarkup) {
  EXPECT_EQ(Markup::escaped("a<b>&\"'").text(), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(Markup::escaped("]]>").text(), "]]&gt;");
  EXPECT_EQ(visible(std::string("\0\x1b\x7f", 3)), "\\x00\\x1b\\x7f");
  EXPECT_EQ(visible("line\n\ttab"), "line\n\ttab");
  EXPECT_EQ(visible("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(visible("\xff\xc0\x80\xed\xa0\x80\xe2\x82"),
            "\\xff\\xc0\\x80\\xed\\xa0\\x80\\xe2\\x82");  // no UTF-8, overlong, surrogate, cut off
  EXPECT_EQ(visible("\xe2\x80\xae\xef\xbf\xbe\xc2\x85"), "\\u202e\\ufffe\\x85");  // direction, no character, control
}

TEST(Markup, OnlyWhatIsEscapedOrWrittenInTheSourceIsPartOfIt) {
  static_assert(!std::is_convertible_v<std::string, Markup> && !std::is_constructible_v<Markup, std::string>);
  static_assert(!std::is_constructible_v<Markup, const char*>);
  constexpr std::string_view kFile =
      "<p class=\"{class}\">{text}</p>\np { margin: 0 }\n<!-- part: row -->\n<b>{text}</b>{n}\n";
  EXPECT_EQ(filled(kFile, "", {{"class", "x\"y"}, {"text", "<i>"_markup + Markup::escaped("{class}&")}}).text(),
            "<p class=\"x&quot;y\"><i>{class}&amp;</p>\np { margin: 0 }\n");
  EXPECT_EQ(filled(kFile, "row", {{"text", std::string("<")}, {"n", 3}}).text(), "<b>&lt;</b>3\n");
  EXPECT_THROW(filled(kFile, "row", {{"text", "x"}}), std::logic_error);
  EXPECT_THROW(filled(kFile, "row", {{"text", "x"}, {"n", 3}, {"m", 3}}), std::logic_error);
  EXPECT_THROW(filled(kFile, "rows", {}), std::logic_error);
}

TEST(PlotLabel, NothingThatGnuplotReadsAsMoreThanText) {
  EXPECT_EQ(plot_label("softmax_v4 fp16->fp32"), "softmax_v4 fp16->fp32");
  EXPECT_EQ(plot_label("a'b\"c`touch x`\n$d@e\\f"),
            "a?b?c?touch x??"
            "?d?e?f");
  EXPECT_EQ(plot_label(std::string("a\0b", 3)), "a?b");
}

TEST_F(ReportTest, PageHasFindingsPlotsAndNoMarkupOfOthers) {
  make_campaign();
  std::filesystem::create_directory(in("out"));
  const testing_cli::Output o = run("report --folder . --html out/page.html");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out, HasSubstr("2 targets, 2 findings"));
  const std::string page = text_of(in("out/page.html"));
  // What is wrong, how often, how to see it again.
  for (const char* expected :
       {"2 findings in 1 of 2 kernels", "low/value",
        "an output lies outside of the interval that correct rounding allows", "a write outside of an allocation",
        "bin/fuzz_low crashes/new/low/value-1.wfz", "3 times", "kernels/low &lt;1&gt;.cu:31</code>",
        "k&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;]]&gt;\\x01\\x1b[31m\\xff\\u202e",
        "&lt;i&gt;rows&lt;/i&gt;", "90,000"})
    EXPECT_THAT(page, HasSubstr(expected));
  for (const char* unexpected : {"<script", "<img", "onerror=alert(2)>", "<i>", "<b>k", "\x01", "\x1b", "\xff",
                                 "http-equiv=\"refresh\"", "https://"})
    EXPECT_THAT(page, Not(HasSubstr(unexpected)));
  EXPECT_FALSE(exists("gotcha"));
  std::size_t plots = 0;
  for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) ++plots;
  EXPECT_EQ(plots, 8u);
  EXPECT_EQ(page.find("id=\"gp"), std::string::npos);  // names of one plot's parts are not those of another's
  EXPECT_EQ(std::regex_search(page, std::regex("<(a|link|use)[^>]*href=[\"'](?!#)")), false);  // self-contained
}

TEST_F(ReportTest, PageShowsTheSourceWhatIsNewAndTheWorstFirst) {
  make_campaign();
  std::filesystem::create_directory(in("kernels"));
  std::ofstream source(in("kernels/low <1>.cu"));
  for (int i = 1; i <= 60; ++i) source << "line " << i << " <b>of the kernel</b>\n";
  source.close();
  ASSERT_EQ(run("report --html page.html").code, 0);
  std::string page = text_of(in("page.html"));
  EXPECT_THAT(page, HasSubstr("<b>   31  line 31 &lt;b&gt;of the kernel&lt;/b&gt;</b>\n   32  line 32"));
  EXPECT_THAT(page, HasSubstr("   27  line 27"));
  EXPECT_THAT(page, Not(HasSubstr("line 26 ")));
  EXPECT_THAT(page, Not(HasSubstr("line 36 ")));
  EXPECT_LT(page.find("low/oob-write/"), page.find(">low/value "));
  EXPECT_THAT(page, HasSubstr("2 of them first seen in the last run."));
  EXPECT_THAT(page, HasSubstr("<td>fp32</td><td class=\"n\">1,000</td><td class=\"n\">0 %</td>"));
  Index index(folder_, true);
  RunRow later;
  later.started = 5000, later.targets = "low", later.backend = "cpu", later.workers = 1;
  index.begin_run(later);
  ASSERT_EQ(run("report --html page.html").code, 0);
  EXPECT_THAT(text_of(in("page.html")), HasSubstr("None of them first seen in the last run."));
}

TEST_F(ReportTest, WithoutGnuplotThePageSaysSo) {
  make_campaign();
  const std::string path = std::getenv("PATH");
  setenv("PATH", in("bin").c_str(), 1);
  const std::string command =
      "cd '" + folder_ + "' && '" WARPFUZZ_COMMAND "' --bin bin report --html page.html 2>stderr >/dev/null";
  const int status = std::system(command.c_str());
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(text_of(in("stderr")), HasSubstr("install gnuplot-nox"));
  EXPECT_THAT(text_of(in("page.html")), HasSubstr("install gnuplot-nox"));
  EXPECT_THAT(text_of(in("page.html")), HasSubstr("low/value"));
}

// A gnuplot that hangs, or prints without end, costs the plots and no more.
TEST_F(ReportTest, AGnuplotThatHangsCostsThePlotsAlone) {
  make_campaign();
  for (const auto& [body, expected] :
       {std::pair("exec sleep 1000", "gnuplot took too long at the plot 'coverage'"),
        std::pair("exec yes \"$(printf %2000s x)\"", "gnuplot printed without end at the plot 'coverage'")}) {
    std::filesystem::create_directory(in("tools"));
    std::ofstream(in("tools/gnuplot")) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(in("tools/gnuplot"), std::filesystem::perms::owner_all);
    const std::string command = "cd '" + folder_ +
                                "' && PATH=\"$PWD/tools:$PATH\" '" WARPFUZZ_COMMAND
                                "' --bin bin --timeout 5 report --html page.html 2>stderr >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(in("stderr"));
    EXPECT_THAT(text_of(in("stderr")), HasSubstr(expected));
    EXPECT_THAT(text_of(in("page.html")), HasSubstr(std::string(expected).substr(0, 12)));
    EXPECT_THAT(text_of(in("page.html")), HasSubstr("low/value"));
  }
}

TEST_F(ReportTest, AFindingWhoseReproducerIsGoneIsShownAsSuch) {
  make_campaign();
  std::filesystem::remove(in("crashes/new/low/value-1.wfz"));
  std::ofstream(in("crashes/new/low/oob.wfz"), std::ios::trunc) << "cut";
  ASSERT_EQ(run("report --html page.html --junit tests.xml").code, 0);
  const std::string page = text_of(in("page.html"));
  EXPECT_THAT(page, HasSubstr("not known: cannot open"));
  EXPECT_THAT(page, HasSubstr("not known: &#39;crashes/new/low/oob.wfz&#39;"));
  EXPECT_THAT(text_of(in("tests.xml")), HasSubstr("the reproducer cannot be read: cannot open"));
}

TEST_F(ReportTest, SarifHasAResultForEachKey) {
  make_campaign();
  ASSERT_EQ(run("report --sarif report.sarif").code, 0);
  const json log = json::parse(text_of(in("report.sarif")));
  EXPECT_EQ(log["version"], "2.1.0");
  const json& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "WarpFuzz");
  ASSERT_EQ(run["results"].size(), 2u);
  for (const json& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], "error");
    EXPECT_THAT(result["message"]["text"], HasSubstr("Replay: "));
  }
  const json& value = run["results"][1];
  EXPECT_EQ(value["ruleId"], "value");
  EXPECT_EQ(value["fingerprints"]["warpfuzz/key"], "low/value");
  EXPECT_EQ(value["occurrenceCount"], 3);
  const json& oob = run["results"][0];
  EXPECT_EQ(oob["ruleId"], "oob-write");
  const json& place = oob["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/low%20%3C1%3E.cu");
  EXPECT_EQ(place["region"]["startLine"], 31);
  EXPECT_THAT(oob["fingerprints"]["warpfuzz/key"], HasSubstr("\\x01\\x1b[31m\\xff\\u202e"));
}

TEST_F(ReportTest, JUnitHasAFailureForEachKeyAndIsWellFormed) {
  make_campaign();
  ASSERT_EQ(run("report --junit junit.xml").code, 0);
  const std::string xml = text_of(in("junit.xml"));
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"WarpFuzz\" tests=\"3\" failures=\"2\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"low\" name=\"low/value\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"oob-write\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"clean\" name=\"no finding\""));
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
  const std::string parse =
      "python3 -c 'import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); print(len(d.getElementsByTagName(\"failure\")))' '" +
      in("junit.xml") + "' >'" + in("parsed") + "'";
  ASSERT_EQ(std::system(parse.c_str()), 0) << xml;
  EXPECT_EQ(text_of(in("parsed")), "2\n");
}

TEST_F(ReportTest, NoIndexIsOneLineAndACode) {
  const testing_cli::Output o = run("report --folder nowhere");
  EXPECT_EQ(o.code, 91);
  EXPECT_THAT(o.err, HasSubstr("no findings index 'nowhere/campaign/index.sqlite'"));
  make_campaign();
  EXPECT_EQ(run("report --html /dev/full").code, 84);
  EXPECT_EQ(run("report").code, 0);
  EXPECT_TRUE(exists("campaign/report.html"));
}

TEST_F(ReportTest, OneFormAtMostGoesToStandardOutput) {
  make_campaign();
  const testing_cli::Output sarif = run("report --sarif -");
  EXPECT_EQ(sarif.code, 0) << sarif.err;
  EXPECT_EQ(sarif.json()["version"], "2.1.0");
  EXPECT_FALSE(exists("-"));
  const testing_cli::Output both = run("report --sarif - --junit -");
  EXPECT_EQ(both.code, 80);
  EXPECT_EQ(both.err, "warpfuzz: --sarif and --junit both go to standard output: name a file for one of them\n");
  EXPECT_EQ(run("report --sarif - --json").code, 80);
  const testing_cli::Output mixed = run("report --sarif log.sarif --junit -");
  EXPECT_THAT(mixed.out, testing::StartsWith("<?xml"));
  EXPECT_TRUE(exists("log.sarif"));
}

TEST_F(ReportTest, OutputsNeitherMeetNorOverwriteWhatIsRead) {
  make_campaign();
  const testing_cli::Output twice = run("report --sarif x --junit ./x");
  EXPECT_EQ(twice.code, 80);
  EXPECT_THAT(twice.err, HasSubstr("--sarif and --junit both name './x': one would overwrite the other"));
  EXPECT_FALSE(exists("x"));
  const std::string index = text_of(in("campaign/index.sqlite"));
  EXPECT_EQ(run("report --html campaign/index.sqlite").code, 80);
  EXPECT_EQ(text_of(in("campaign/index.sqlite")), index);
  EXPECT_EQ(run("report --junit crashes/new/low/value-1.wfz").code, 80);
  const testing_cli::Output missing = run("report --html no/where/page.html");
  EXPECT_EQ(missing.code, 84);
  EXPECT_EQ(missing.err, "warpfuzz: --html 'no/where/page.html': there is no folder 'no/where'; make it first\n");
  EXPECT_FALSE(exists("no"));
}

// The page as a browser sees it: every finding is there, and nothing is said on the console.
TEST_F(ReportTest, BrowserShowsThePageWithoutErrors) {
  const char* browser = nullptr;
  for (const char* name : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
    if (!browser && std::ifstream(name).good()) browser = name;
  if (!browser) GTEST_SKIP() << "NOT TESTED: the report in a browser: no chromium here (apt-get install chromium)";
  make_campaign();
  ASSERT_EQ(run("report --html page.html").code, 0);
  const std::string command =
      std::string("cd '") + folder_ + "' && HOME='" + folder_ + "' timeout 120 " + browser +
      " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr --v=0 --user-data-dir='" +
      in("profile") + "' --dump-dom 'file://" + in("page.html") + "' >dom 2>console";
  ASSERT_EQ(std::system(command.c_str()), 0) << text_of(in("console"));
  const std::string dom = text_of(in("dom")), console = text_of(in("console"));
  EXPECT_THAT(dom, HasSubstr("low/value"));
  EXPECT_THAT(dom, HasSubstr("k&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(dom, Not(HasSubstr("<script")));
  EXPECT_THAT(dom, Not(HasSubstr("<img")));
  EXPECT_THAT(dom, HasSubstr("id=\"finding-2\""));
  EXPECT_THAT(dom, HasSubstr("id=\"plot-absolute\""));
  EXPECT_THAT(dom, HasSubstr("</body>"));
  EXPECT_THAT(console, Not(HasSubstr("CONSOLE")))
      << console;  // Chromium's word for messages of a page: scripts, policies, markup
}

}  // namespace
}  // namespace warpfuzz::cli
