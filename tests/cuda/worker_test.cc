// The worker's side of the CUDA backend against a server that is played: this binary, started by the backend as it starts a real one,
// answers requests by rule. What is tested: what a request holds, what is made of each answer, servers that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "command.h"
#include "exec/cuda/backend.h"
#include "exec/cuda/server/clients.h"
#include "exec/tensor_image.h"

namespace warpfuzz::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- the server. FAKE_SERVER says what it does; FAKE_MARK is a file that it leaves when it has misbehaved once.
struct Fake {
  Mailbox* box;
  std::byte* up() { return reinterpret_cast<std::byte*>(box) + up_at(*box); }
  std::byte* down() { return reinterpret_cast<std::byte*>(box) + down_at(*box); }

  // A kernel y = x on storage: what is not uploaded holds the pattern.
  void copy() {
    const Request& r = box->request;
    const TensorWire &x = r.tensors[0], &y = r.tensors[1];
    for (std::uint32_t call = 0; call < r.calls; ++call) {
      for (std::size_t i = 0; i < round_up(y.bytes, kUnit); ++i)
        down()[y.down[call] + static_cast<std::int64_t>(i)] = i < y.bytes
                                                                  ? up()[x.up[call] + static_cast<std::int64_t>(i)]
                                                                  : static_cast<std::byte>(y.pattern >> 8 * (i % 8));
      if (x.down[call] >= 0) std::memcpy(down() + x.down[call], up() + x.up[call], round_up(x.bytes, kUnit));
    }
  }
};

bool once() {
  const char* mark = std::getenv("FAKE_MARK");
  if (!mark || std::filesystem::exists(mark)) return false;
  std::ofstream(mark) << "x";
  return true;
}

void answer(Fake f, const std::string& rule) {
  Answer& a = f.box->answer;
  a = {};
  a.outcome = Outcome::done;
  a.launches = 1;
  std::strcpy(a.launch[0].kernel, "copy_kernel");
  for (int i = 0; i < 3; ++i) a.launch[0].grid[i] = a.launch[0].block[i] = static_cast<std::uint32_t>(i + 1);
  f.box->findings = {};
  f.copy();
  const Request& r = f.box->request;
  if (rule == "die" && once()) _exit(1);
  if (rule == "die always") _exit(1);
  if (rule == "lost" && once()) {
    a.outcome = Outcome::lost;
    f.box->done = f.box->asked.load();
    _exit(1);
  }
  if (rule == "fault" || rule == "hang") {
    a.outcome = rule == "fault" ? Outcome::fault : Outcome::hang;
    a.error = 716;
    f.box->done = f.box->asked.load();
    _exit(1);
  }
  if (rule == "refused") a.launch[0].error = 9;
  if (rule == "red zone") f.box->findings.red_zone[0] = 2;
  if (rule == "gap") f.down()[r.tensors[1].down[0] + static_cast<std::int64_t>(r.tensors[1].bytes)] = std::byte{1};
  if (rule == "changed") {
    f.box->findings.changed[0] = 1;
    if (r.tensors[0].down[0] >= 0) f.down()[r.tensors[0].down[0] + 5] ^= std::byte{0x40};
  }
  f.box->done.store(f.box->asked.load(), std::memory_order_release);
}

[[noreturn]] void serve(const std::string& path, const std::string& rule) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  unlink(path.c_str());
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 8) != 0) _exit(9);
  Hello hello{};
  hello.magic = kWireMagic;
  hello.code = rule == "no device" ? HelloCode::no_device : HelloCode::ready;
  std::strcpy(hello.device, "played GPU");
  if (rule == "no device") std::strcpy(hello.text, "no NVIDIA GPU on this machine");
  hello.modules = 1;
  hello.module[0] = {40, 1, 1, 0};
  for (;;) {
    const int worker = accept(listener, nullptr, nullptr);
    Wish wish{};
    if (!send_all(worker, &hello, sizeof hello) || hello.code != HelloCode::ready ||
        !receive_all(worker, &wish, sizeof wish))
      continue;
    Mailbox sizes{};
    sizes.state_bytes = sizeof(StateHeader) + module_bytes(40, 1, true), sizes.up_bytes = wish.up,
    sizes.down_bytes = wish.down;
    const std::size_t bytes = mailbox_bytes(sizes);
    const int descriptors[2] = {memfd_create("box", 0), memfd_create("bell", 0)};
    if (ftruncate(descriptors[0], static_cast<off_t>(bytes)) != 0 || ftruncate(descriptors[1], kPage) != 0) _exit(9);
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0], 0);
    auto* box = new (at) Mailbox{};
    box->state_bytes = sizes.state_bytes, box->up_bytes = wish.up, box->down_bytes = wish.down;
    // Edge 3 was taken, and the compare met equal operands 7, 7.
    auto* state = reinterpret_cast<char*>(at) + state_at() + sizeof(StateHeader);
    const auto put = [&](std::size_t offset, std::uint32_t word) {
      std::memcpy(state + offset - sizeof(StateHeader) + offsetof(StateHeader, bounds), &word, 4);
    };
    put(edge_offset(), 1u << 3);
    put(class_offset(40), 1);
    put(pair_offset(40, 1) + 2 * sizeof(OperandPair), 7);
    put(pair_offset(40, 1) + 2 * sizeof(OperandPair) + 4, 7);
    send_all(worker, &bytes, sizeof bytes, descriptors, 2);
    for (std::uint32_t taken = 0;;) {
      char byte;
      if (recv(worker, &byte, 1, MSG_DONTWAIT) == 0) break;
      if (const std::uint32_t asked = box->asked.load(std::memory_order_acquire); asked != taken)
        taken = asked, answer({box}, rule);
      usleep(50);
    }
    close(worker);
  }
}

// Before GoogleTest's main sees the arguments.
[[gnu::constructor]] void become_server() {
  std::ifstream file("/proc/self/cmdline");
  const std::string line((std::istreambuf_iterator<char>(file)), {});
  if (line.find("--warpfuzz-gpu-server") == std::string::npos) return;
  const std::size_t at = line.find("--socket=") + 9;
  const char* rule = std::getenv("FAKE_SERVER");
  close_range(3, ~0u, 0);
  alarm(60);  // a test that failed leaves nothing behind
  serve(line.substr(at, line.find('\0', at) - at), rule ? rule : "");
}

// ---- the tests
Schema copy_schema() {
  Schema s;
  s.op = "copy";
  s.dtypes = {same_dtype(DType::f32)};
  s.dims = {{.name = "n", .max = 4096}};
  s.tensors = {{.name = "x", .role = Role::in, .shape = {0}}, {.name = "y", .role = Role::out, .shape = {0}}};
  return s;
}

class Worker : public ::testing::Test {
 protected:
  void rule(const std::string& text) {
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    setenv("FAKE_SERVER", text.c_str(), 1);
    setenv("FAKE_MARK", (folder_.path() / "mark").c_str(), 1);
  }
  RunOutput run(std::uint32_t n, std::size_t calls = 1) {
    case_.dims[0] = n;
    inputs_.assign(calls, {});
    for (std::size_t c = 0; c < calls; c++) {
      inputs_[c].values.resize(2);
      for (std::uint32_t i = 0; i < n; i++) inputs_[c].values[0].push_back(static_cast<float>(i + 100 * c));
    }
    RunInput in{&schema_, &case_, inputs_, {}, 0, true, [this] { meanwhile_++; }};
    return backend_.run(in, [](const Launch&) {});
  }
  static std::vector<float> floats(const std::vector<std::byte>& raw) {
    std::vector<float> out(raw.size() / 4);
    if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
    return out;
  }
  targets_test::ScratchFolder folder_;
  Schema schema_ = copy_schema();
  TestCase case_;
  std::vector<CallInput> inputs_;
  int meanwhile_ = 0;
  CudaBackend backend_{Build::instrumented, 0};
};

TEST_F(Worker, InputsGoThereAndOutputsComeBackForEachCall) {
  rule("");
  const RunOutput out = run(3, 2);
  EXPECT_EQ(out.status.fault, FaultClass::none) << out.status.message;
  ASSERT_EQ(out.calls.size(), 2u);
  EXPECT_THAT(floats(out.calls[0].tensors[1]), ElementsAre(0, 1, 2));
  EXPECT_THAT(floats(out.calls[1].tensors[1]), ElementsAre(100, 101, 102));
  EXPECT_EQ(meanwhile_, 1);
  EXPECT_EQ(backend_.device(), "played GPU");
  ASSERT_EQ(out.status.launches.size(), 1u);
  EXPECT_EQ(out.status.launches[0].kernel, "copy_kernel");
  EXPECT_EQ(out.status.launches[0].block[2], 3u);
}

TEST_F(Worker, CoverageBecomesFeaturesAndOperands) {
  rule("");
  run(3);
  EXPECT_THAT(backend_.device_features(), ElementsAre(3, 40));
  EXPECT_THAT(backend_.compare_operands().pairs, ElementsAre(7, 7));
}

TEST_F(Worker, AMailboxGrowsWithTheCases) {
  rule("");
  for (const std::uint32_t n : {3u, 4096u, 5u})
    EXPECT_EQ(floats(run(n).calls.at(0).tensors[1]).back(), static_cast<float>(n - 1));
}

TEST_F(Worker, AServerThatDiesOrIsLostIsStartedAgain) {
  for (const char* what : {"die", "lost"}) {
    std::filesystem::remove(folder_.path() / "mark");
    backend_.set_device(what[0]);  // a server of its own
    rule(what);
    const RunOutput out = run(5);
    EXPECT_EQ(out.status.fault, FaultClass::none) << what;
    EXPECT_EQ(floats(out.calls.at(0).tensors[1]).size(), 5u);
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "mark"));
  }
}

TEST_F(Worker, AnErrorOfTheDeviceIsAFaultOfTheKernelThatWasLaunched) {
  rule("fault");
  const RunOutput out = run(5);
  EXPECT_EQ(out.status.fault, FaultClass::misaligned);
  EXPECT_EQ(out.status.place.kernel, "copy_kernel");
  EXPECT_TRUE(out.calls.empty());
  EXPECT_THAT(out.status.message, HasSubstr("misaligned address (CUDA error 716)"));
}

TEST_F(Worker, AHangIsAHang) {
  rule("hang");
  EXPECT_EQ(run(5).status.fault, FaultClass::hang);
}

TEST_F(Worker, ARefusedLaunchSaysWithWhichShape) {
  rule("refused");
  const RunOutput out = run(5);
  EXPECT_EQ(out.status.fault, FaultClass::launch);
  EXPECT_THAT(out.status.message, HasSubstr("invalid configuration (CUDA error 9); grid (1,2,3), block (1,2,3)"));
}

TEST_F(Worker, WritesAroundATensorAreFound) {
  rule("red zone");
  EXPECT_THAT(run(5).status.message, HasSubstr("write before the start of tensor y"));
  backend_.set_device(1);
  rule("gap");
  const RunOutput out = run(5);  // 20 bytes, 12 to the end of the unit
  EXPECT_EQ(out.status.fault, FaultClass::oob_write);
  EXPECT_THAT(out.status.message, HasSubstr("write 1 bytes past the end of tensor y"));
}

TEST_F(Worker, AChangedInputIsFetchedAndNamed) {
  rule("changed");
  const RunOutput out = run(5);
  EXPECT_EQ(out.status.fault, FaultClass::input_changed);
  EXPECT_THAT(out.status.message, HasSubstr("input x[1] was changed: 1 before the call"));
}

TEST_F(Worker, EndsInOneLine) {
  rule("no device");
  EXPECT_EXIT(run(5), ::testing::ExitedWithCode(93),
              "warpfuzz: error: no NVIDIA GPU on this machine; kernels of this build run on a GPU");
  backend_.set_device(2);
  rule("die always");
  EXPECT_EXIT(run(5), ::testing::ExitedWithCode(83), "ends again and again without a fault");
}

}  // namespace
}  // namespace warpfuzz::cuda
