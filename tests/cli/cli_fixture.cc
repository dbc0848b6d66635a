// Implementation of the fixture: a temporary folder and a shell.
#include "cli_fixture.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "numeric/hash.h"

namespace warpfuzz::testing_cli {

namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

}  // namespace

void CliTest::SetUp() {
  char name[] = "/tmp/warpfuzz_cli_XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  folder_ = name;
  fs::create_directory(in("bin"));
  for (const char* mode : {"abort",   "babble",  "badref", "busy",   "chatty", "clean",   "dies", "full",
                           "garbage", "hang",    "low",    "mixed",  "old",    "old_row", "oob",  "oobsave",
                           "refuses", "shrinks", "silent", "sticky", "untold", "value"}) {
    fs::create_symlink(WARPFUZZ_FAKE_TARGET, in(std::string("bin/fuzz_") + mode));
  }
}

void CliTest::TearDown() { fs::remove_all(folder_); }

Output CliTest::run(const std::string& arguments) {
  const std::string command = "cd '" + folder_ + "' && '" WARPFUZZ_COMMAND "' --bin bin " + arguments + " >'" +
                              in("stdout") + "' 2>'" + in("stderr") + "'";
  const int status = std::system(command.c_str());
  Output o;
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  o.out = contents(in("stdout"));
  o.err = contents(in("stderr"));
  return o;
}

bool CliTest::exists(const std::string& name) const { return fs::exists(in(name)); }

std::string CliTest::save(const std::string& name, const Finding& f) {
  EXPECT_EQ(write_wfz(in(name), f), "");
  return name;
}

std::string CliTest::save_bytes(const std::string& name, const Bytes& bytes) {
  EXPECT_EQ(write_file(in(name), bytes), "");
  return name;
}

Finding CliTest::fake(const std::string& target, FaultClass fault, std::uint8_t rows, std::uint8_t cols) {
  Finding f;
  f.target = target;
  f.op = "fake";
  f.backend = "cpu";
  f.fault = fault;
  if (fault_info(fault).has_place) f.place = {"fake_kernel", {0, 0, 0}, {3, 0, 0}, "fake.cu", 12};
  f.bytes = {1, rows, cols};
  f.text = "op: fake\nrows: " + std::to_string(rows) + "\ncols: " + std::to_string(cols) + "\n";
  f.summary = "fake fp32 rows=" + std::to_string(rows) + " cols=" + std::to_string(cols);
  f.attributes = {{"kind", "gross"}, {"dtype", "fp32"}};
  f.created = "2026-03-01T12:34:56Z";
  TensorSnapshot x;
  x.name = "x", x.role = "in", x.tensor = 0;
  x.shape = {rows, cols};
  x.data.resize(4u * rows * cols);
  x.hash = hash_bytes(x.data.data(), x.data.size());
  f.inputs = {x};
  return f;
}

}  // namespace warpfuzz::testing_cli
