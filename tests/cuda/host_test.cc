// The host side of the CUDA backend, as far as it needs no GPU: what is read of a device's state, how faults are named, messages
// with descriptors, what a binary says where there is no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/exit_codes.h"
#include "command.h"
#include "exec/cuda/device_counters.h"
#include "exec/cuda/faults.h"
#include "exec/cuda/server/clients.h"
#include "exec/cuda/wire.h"

namespace warpfuzz::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A module's state as a server leaves it: the finding, then what is behind the header.
std::vector<std::byte> state_of(std::uint32_t edges, std::uint32_t compares) {
  return std::vector<std::byte>(module_bytes(edges, compares, true));
}
void put(std::vector<std::byte>& state, std::size_t at, std::uint32_t word) {
  std::memcpy(&state[at - sizeof(StateHeader) + offsetof(StateHeader, bounds)], &word, sizeof word);
}

TEST(Coverage, EdgesAndClassesBecomeFeaturesInOrder) {
  auto state = state_of(40, 2);
  put(state, edge_offset(), 1u << 0 | 1u << 31);
  put(state, edge_offset() + 4, 1u << 7);
  put(state, class_offset(40) + 4, 1u << 0 | 1u << 9);
  Coverage c;
  read_coverage(state, 40, 2, 100, c);
  EXPECT_THAT(c.features, ElementsAre(100, 131, 139, 100 + 40 + 32 + 0, 100 + 40 + 32 + 9));
}

TEST(Coverage, OperandsOfAKindAreReadOnlyWhereItsClassesAreSet) {
  auto state = state_of(1, 1);
  put(state, class_offset(1), 1u << 0 | 1u << 2);  // equal and near, not far
  const std::uint32_t pairs[] = {11, 99, 64, 66, 5, 5};
  for (int i = 0; i < 6; i++) put(state, pair_offset(1, 1) + 4 * static_cast<std::size_t>(i), pairs[i]);
  Coverage c;
  read_coverage(state, 1, 1, 0, c);
  EXPECT_THAT(c.operands, ElementsAre(64, 66, 5, 5));
}

TEST(Coverage, AShortStateIsNotRead) {
  std::vector<std::byte> state(16);
  Coverage c;
  read_coverage(state, 40, 2, 0, c);
  EXPECT_THAT(c.features, IsEmpty());
}

TEST(Faults, ErrorsHaveTheirClasses) {
  EXPECT_EQ(class_of_error(700), FaultClass::oob_read);
  EXPECT_EQ(class_of_error(716), FaultClass::misaligned);
  EXPECT_EQ(class_of_error(710), FaultClass::assertion);
  EXPECT_EQ(class_of_error(719), FaultClass::assertion);
  EXPECT_EQ(class_of_error(9), FaultClass::launch);
}

Schema two_tensors() {
  Schema s;
  s.op = "copy";
  s.tensors = {{.name = "x", .role = Role::in}, {.name = "y", .role = Role::out}};
  return s;
}
TensorLayout layout_of(std::uint32_t elements) {
  TensorLayout l;
  l.dtype = DType::f32;
  l.shape = {elements};
  l.strides = {1};
  l.elements = l.storage_elements = elements;
  return l;
}

TEST(Faults, AFindingNamesTensorElementBlockThreadAndLine) {
  const std::uint32_t base = 0x70;
  StateHeader header{};
  header.bounds[1] = {0x1000, 40};
  DeviceFinding f{};
  f.claimed = 1;
  f.address = (std::uint64_t{base + 1} << 32) + 0x1000 + 40;
  f.size = 4;
  f.access = static_cast<std::uint32_t>(Access::write);
  f.block[0] = 2, f.thread[1] = 3;
  const TensorLayout layouts[] = {layout_of(10), layout_of(10)};
  ExecStatus status;
  describe_finding(f, layouts, two_tensors(), base, header, "k.cu:31: copy_kernel", status);
  EXPECT_EQ(status.fault, FaultClass::oob_write);
  EXPECT_EQ(status.tensor, 1);
  EXPECT_EQ(status.place.block[0], 2u);
  EXPECT_EQ(status.place.thread[1], 3u);
  EXPECT_EQ(status.place.file, "k.cu");
  EXPECT_EQ(status.place.line, 31);
  EXPECT_EQ(status.message,
            "write of 4 bytes 4 bytes past the end of tensor y[10] (fp32, 40 bytes), at element 10 of its storage");
}

TEST(Faults, BeforeATensorAndOutsideOfAll) {
  StateHeader header{};
  header.bounds[0] = {0x1000, 40};
  DeviceFinding f{};
  f.address = (std::uint64_t{0x70} << 32) + 0x1000 - 8;
  f.size = 8;
  const TensorLayout layouts[] = {layout_of(10), layout_of(10)};
  ExecStatus before, outside;
  describe_finding(f, layouts, two_tensors(), 0x70, header, "", before);
  EXPECT_EQ(before.fault, FaultClass::oob_read);
  EXPECT_THAT(before.message, HasSubstr("8 bytes before the start of tensor x"));
  f.address = 16;
  describe_finding(f, layouts, two_tensors(), 0x70, header, "", outside);
  EXPECT_THAT(outside.message, HasSubstr("address 0x10, which belongs to no tensor"));
}

TEST(Socket, MessagesAreWholeAndDescriptorsRideAlong) {
  int ends[2], pipe_ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(pipe(pipe_ends), 0);
  std::vector<char> sent(1 << 20, 'w'), received(1 << 20);
  std::thread sender([&] { EXPECT_TRUE(send_all(ends[0], sent.data(), sent.size(), &pipe_ends[1], 1)); });
  int descriptor = -1;
  EXPECT_TRUE(receive_all(ends[1], received.data(), received.size(), &descriptor, 1));
  sender.join();
  EXPECT_EQ(received, sent);
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(write(descriptor, "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  close(ends[0]);
  EXPECT_FALSE(receive_all(ends[1], received.data(), 1));
}

TEST(Mailbox, AreasFollowEachOtherOnPages) {
  Mailbox m{};
  m.state_bytes = 1, m.up_bytes = kPage + 1, m.down_bytes = 5;
  EXPECT_EQ(state_at() % kPage, 0u);
  EXPECT_EQ(up_at(m), state_at() + kPage);
  EXPECT_EQ(down_at(m), up_at(m) + 2 * kPage);
  EXPECT_EQ(mailbox_bytes(m), down_at(m) + kPage);
}

std::string binary(const std::string& name) { return std::string(WARPFUZZ_TEST_BIN) + "/" + name; }

TEST(WithoutADevice, HelpAndDescriptionsWork) {
  const targets_test::CommandResult r = targets_test::run_command({binary("fuzz_softmax"), "-help=1"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.all(), HasSubstr("target softmax"));
}

// CUDA_VISIBLE_DEVICES hides the GPUs of a machine that has some.
TEST(WithoutADevice, FuzzingEndsInOneLineAndItsOwnExitCode) {
  const targets_test::CommandResult r =
      targets_test::run_command({"/usr/bin/env", "CUDA_VISIBLE_DEVICES=-1", binary("fuzz_softmax"), "-runs=10"});
  EXPECT_EQ(r.exit_code, kExitNoDevice);
  EXPECT_THAT(r.errors, HasSubstr("warpfuzz: error: no NVIDIA"));
}

TEST(WithoutADevice, TheServersOfOtherBuildsSayWhatTheyAre) {
  for (const char* name : {"fuzz_softmax.checked", "fuzz_softmax.plain"}) {
    if (access(binary(name).c_str(), X_OK) != 0) continue;  // no nvcc
    const targets_test::CommandResult r = targets_test::run_command({binary(name)});
    EXPECT_EQ(r.exit_code, kExitUsage) << name;
    EXPECT_THAT(r.errors, HasSubstr("expected --socket=PATH"));
  }
}

}  // namespace
}  // namespace warpfuzz::cuda
