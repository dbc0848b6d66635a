// Commands about one case over the line protocol, with a scripted kernel.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "fake_target.h"
#include "pipeline/build_finding.h"
#include "service/commands.h"

namespace warpfuzz::test {
namespace {

using nlohmann::json;

json ask(Backend& backend, const Target& target, const char* cmd, json request) {
  Serving s{target, backend, Watchdog({}, {}), {}, {}, 0};
  request["cmd"] = cmd;
  for (const NamedCommand& c : case_commands())
    if (std::string(c.name) == cmd) return c.run(s, request);
  throw std::runtime_error("no such command");
}

// Wrong in its first element.
FakeBackend wrong_backend() {
  return FakeBackend([](auto x, const FakeRun&) {
    x[0] += 1;
    return x;
  });
}

// The kernel's compiler is the backend's to say: on a GPU it is not the one of this program.
TEST(ServeCases, TheCompilerIsTheBackends) {
  const Target t = identity_target(0, 0);
  FakeBackend b = wrong_backend();
  EXPECT_EQ(ask(b, t, "describe", {})["compiler"], "fake compiler");
}

TEST(ServeCases, AReplaySaysWhetherTheCompilerIsStillTheSame) {
  const Target t = identity_target(0, 0);
  FakeBackend b = wrong_backend();
  RunSettings settings;
  settings.keep = Keep::findings;
  Finding f = build_finding(t, b, run_case(t, b, Bytes{}, settings));
  const std::string path = testing::TempDir() + "serve_cases_" + std::to_string(getpid()) + ".wfz";
  for (const std::string& compiler : {f.compiler, std::string("another compiler")}) {
    f.compiler = compiler;
    ASSERT_EQ(write_wfz(path, f), "");
    const json j = ask(b, t, "replay", {{"path", path}});
    EXPECT_EQ(j["same_compiler"], compiler == "fake compiler") << j;
    EXPECT_EQ(j["same_binary"], j["same_compiler"]) << "its older name";
    EXPECT_EQ(j["same_key"], true);
  }
  std::remove(path.c_str());
}

TEST(ServeCases, ARequestThatIsNotAsItsTableSaysIsOneLine) {
  const Target t = identity_target(0, 0);
  FakeBackend b = wrong_backend();
  const auto error = [&](const char* cmd, json request) {
    try {
      ask(b, t, cmd, std::move(request));
    } catch (const std::runtime_error& e) { return std::string(e.what()); }
    return std::string();
  };
  EXPECT_EQ(error("run", {}), "field 'bytes': missing");
  EXPECT_EQ(error("run", {{"bytes", "0x"}}), "field 'bytes': expected pairs of hexadecimal digits, got '0x'");
  EXPECT_EQ(error("run", {{"bytes", "00"}, {"save", 7}}), "field 'save': expected text, got number");
  EXPECT_EQ(error("shrink", {{"seconds", 1}}), "expected the field `bytes` or `path`");
  EXPECT_EQ(error("candidates", {{"bytes", "00"}, {"at", {-1}}}),
            "field 'at[0]': expected a whole number of 0..4294967295");
}

}  // namespace
}  // namespace warpfuzz::test
