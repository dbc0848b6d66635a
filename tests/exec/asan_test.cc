// Bounds errors of kernels under AddressSanitizer. This file is instrumented, the executor is not: as in a fuzzing
// binary.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "exec/cpu/memory/host_door.h"
#include "kernel_test.h"

namespace warpfuzz::cpu {
namespace {

using AsanDeathTest = ExecutorTest;
using AsanTest = ExecutorTest;
using ::testing::HasSubstr;

std::string report(const char* what) { return std::string("==WARPFUZZ== ") + what; }
// The regex of "in kernel K, block B, thread T, <this file>:<line>: message".
std::string at(int line, const char* block, const char* thread, const char* message) {
  return std::string("kernel bounds, block .") + block + "., thread ." + thread +
         ".,? .*asan_test.cc:" + std::to_string(line) + ": " + message;
}
#define LAUNCH(grid, block, shared, body) run({grid, 1, 1}, {block, 1, 1}, body, shared, "ns::bounds<float>")

TEST_F(AsanDeathTest, OneElementPastATensor) {
  auto* x = static_cast<float*>(allocate_tensor("x", 0, 7 * 4, 4));
  auto* y = static_cast<float*>(allocate_tensor("y", 1, 7 * 4, 4));
  for (int i = 0; i < 7; ++i) x[i] = y[i] = 0;
  const int line = __LINE__ + 1;
  auto kernel = [&] { y[tid()] = x[tid() % 7]; };
  EXPECT_DEATH(
      LAUNCH(1, 8, 0, kernel),
      report("oob-write in ") + at(line, "0,0,0", "7,0,0", "write of 4 bytes 1 element past the end of tensor y"));
  EXPECT_EQ(LAUNCH(1, 7, 0, kernel), 0) << "the last element is fine";
}

TEST_F(AsanDeathTest, OneElementBeforeATensorAndFarPastIt) {
  auto* x = static_cast<std::uint16_t*>(allocate_tensor("x", 0, 33 * 2, 2));
  volatile std::uint16_t sink = 0;
  x[0] = 0;
  const int line = __LINE__ + 1;
  auto before = [&] { sink = x[static_cast<std::int64_t>(bid()) - 1]; };
  EXPECT_DEATH(
      LAUNCH(2, 1, 0, before),
      report("oob-read in ") + at(line, "0,0,0", "0,0,0", "read of 2 bytes 1 element before the start of tensor x"));
  const int far = __LINE__ + 1;
  auto past = [&] { sink = x[30000]; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, past),
               at(far, "0,0,0", "0,0,0", "read of 2 bytes 29968 elements past the end of tensor x"));
}

TEST_F(AsanDeathTest, VectorAccessAcrossTheEnd) {
  struct alignas(16) Float4 {
    float v[4];
  };
  auto* x = static_cast<Float4*>(allocate_tensor("x", 0, 7 * 4, 4));
  volatile float sink = 0;
  auto kernel = [&] {
    Float4 v = x[1];
    sink = v.v[0] + v.v[3];
  };
  EXPECT_DEATH(LAUNCH(1, 1, 0, kernel), "oob-read in .*tensor x .7 elements");
}

TEST_F(AsanDeathTest, DynamicShared) {
  const int line = __LINE__ + 1;
  auto kernel = [&] { static_cast<float*>(warpfuzz_dynamic_shared)[tid()] = 1; };
  EXPECT_DEATH(
      LAUNCH(3, 26, 100, kernel),
      report("oob-write in ") +
          at(line, "0,0,0", "25,0,0", "write of 4 bytes 4 bytes past the end of dynamic shared memory .100 bytes"));
}

TEST_F(AsanDeathTest, StaticShared) {
  static SharedSlot a, b;
  int line = 0;
  auto kernel = [&] {
    auto* tile = static_cast<float*>(shared_storage(a, 33 * 4, 4, 33, "tile", HERE));
    auto* other = static_cast<float*>(shared_storage(b, 33 * 4, 4, 33, "other", HERE));
    other[tid() % 33] = 0;
    tile[tid()] = 1;
  };
  line = __LINE__ - 2;
  EXPECT_DEATH(
      LAUNCH(1, 34, 0, kernel),
      report("oob-write in ") +
          at(line, "0,0,0", "33,0,0", "write of 4 bytes 1 element past the end of shared array tile .33 elements"));
  EXPECT_EQ(LAUNCH(3, 33, 0, kernel), 0);
}

TEST_F(AsanDeathTest, LocalArray) {
  volatile int sink = 0;
  volatile int n = 9;
  auto kernel = [&] {
    int values[8] = {};
    sync_threads(HERE);
    for (int i = 0; i < n; ++i) values[i] = i;
    sink = values[n % 8];
  };
  const int line = __LINE__ - 3;
  EXPECT_DEATH(
      LAUNCH(1, 40, 0, kernel),
      report("oob-write in ") +
          at(line, "0,0,0", "0,0,0", "write of 4 bytes 4 bytes past the end of local variable values .32 bytes"));
}

TEST_F(AsanDeathTest, FreedWorkspace) {
  auto* w = static_cast<int*>(device_alloc(64));
  device_free(w);
  auto kernel = [&] { w[3] = 1; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, kernel), "oob-write in .*inside a launcher allocation of 64 bytes that was freed");
}

__attribute__((section("warpfuzz.device"))) int lead[5] = {1, 2, 3, 4, 5};
__attribute__((section("warpfuzz.device"))) int table[5] = {1, 2, 3, 4, 5};
TEST_F(AsanDeathTest, DeviceGlobal) {
  volatile int n = 5, sink = 0;
  auto past = [&] { sink = table[n]; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, past), "oob-read in .*4 bytes past the end of global variable .*table");
  // Red zones lie behind variables: only the second one has one in front.
  int* second = std::max(&lead[0], &table[0]);
  n = -1;
  auto before = [&] { sink = second[n]; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, before), second == table
                                            ? "oob-read in .*4 bytes before the start of global variable .*table"
                                            : "oob-read in .*4 bytes before the start of global variable .*lead");
}

TEST_F(AsanDeathTest, HeapOfTheHost) {
  std::vector<int> host(10);
  int* data = host.data();
  volatile int n = 10;
  auto kernel = [&] { data[n] = 1; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, kernel), "oob-write in .*out of the bounds of heap memory");
}

TEST_F(AsanDeathTest, TheDeathHookIsToldOnce) {
  auto* x = static_cast<float*>(allocate_tensor("x", 3, 4, 4));
  const char* word = "HOOK";
  set_death_hook({[](void* context, const ExecStatus& s) {
                    std::fprintf(stderr, "%s %d tensor %d kernel %s line %d launches %zu\n",
                                 *static_cast<const char**>(context), static_cast<int>(s.fault), s.tensor,
                                 s.place.kernel.c_str(), s.place.line > 0, s.launches.size());
                  },
                  &word});
  auto kernel = [&] { x[1] = 1; };
  EXPECT_DEATH(LAUNCH(1, 1, 0, kernel), "HOOK 2 tensor 3 kernel bounds line 1 launches 1");
  set_death_hook({});
}

TEST_F(AsanDeathTest, HostCodeOfALauncher) {
  auto* x = static_cast<float*>(allocate_tensor("x", 0, 8, 4));
  EXPECT_DEATH(x[2] = 1, "==WARPFUZZ== oob-write: write of 4 bytes 1 element past the end of tensor x");
}

TEST_F(AsanTest, NullPointersAreFaultsWithALine) {
  float* volatile null = nullptr;
  int line = __LINE__ + 1;
  auto kernel = [&] { null[tid()] = 1; };
  for (int i = 0; i < 3; ++i) {
    start({});
    EXPECT_EQ(LAUNCH(1, 5, 0, kernel), 719);
    EXPECT_EQ(status().fault, FaultClass::oob_write);
    EXPECT_EQ(status().place.kernel, "bounds");
    EXPECT_THAT(status().place.file, HasSubstr("asan_test.cc"));
    EXPECT_EQ(status().place.line, line);
  }
  float* volatile wild = reinterpret_cast<float*>(0x1234567812345678ull);
  auto far = [&] { wild[0] = 1; };
  start({});
  EXPECT_EQ(LAUNCH(1, 5, 0, far), 719);
  EXPECT_THAT(status().message, HasSubstr("wild pointer"));
}

__attribute__((noinline)) int deep(volatile int* depth) {
  volatile char frame[3000];
  frame[*depth % 3000] = 1;
  *depth = *depth + 1;
  return *depth < 0 ? 0 : deep(depth) + frame[7];
}
TEST_F(AsanTest, StackOverflow) {
  for (int i = 0; i < 20; ++i) {
    start({});
    auto kernel = [&] {
      volatile int depth = 0;
      if (tid() == 3) deep(&depth);
    };
    EXPECT_EQ(LAUNCH(1, 5, 0, kernel), 719);
    EXPECT_THAT(status().message, HasSubstr("stack overflow"));
    start({});
    auto deep_but_fine = [&] {
      char block[100000];
      std::memset(block, 1, sizeof block);
      sync_threads(HERE);
      EXPECT_EQ(block[tid() * 1000], 1);
    };
    EXPECT_EQ(LAUNCH(1, 64, 0, deep_but_fine), 0);
  }
}

// Frames that are left behind poison the stack; the next kernels have other frames at the same places.
template <int N>
__attribute__((noinline)) unsigned framed(unsigned rounds) {
  volatile unsigned values[N];
  for (unsigned i = 0; i < N; ++i) values[i] = i;
  sync_threads({"k.cu", N, 1});
  unsigned deeper = rounds ? framed<N + 3>(0) : 0;
  return values[rounds % N] + deeper;
}
template <>
__attribute__((noinline)) unsigned framed<23>(unsigned) {
  return 1;
}

TEST_F(AsanTest, StacksAreCleanAfterFaults) {
  unsigned sum = 0;
  for (int i = 0; i < 300; ++i) {
    start({});
    unsigned bad = static_cast<unsigned>(i % 64);
    auto faulty = [&] {
      char pad[40];
      std::memset(pad, static_cast<int>(tid()), sizeof pad);
      sum += framed<8>(1) + static_cast<unsigned>(pad[tid() % 40]);
      if (tid() == bad) kernel_fault(FaultClass::assertion, {"k.cu", 1, 1}, "stop");
      sync_threads(HERE);
    };
    if (i == 0) ::testing::internal::CaptureStderr();
    EXPECT_EQ(LAUNCH(1, 64, 0, faulty), 719);
    if (i == 0)
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "the sanitizer is not puzzled by leaving a kernel";
    start({});
    auto clean = [&] {
      char pad[400];
      std::memset(pad, 1, sizeof pad);
      sum += framed<20>(1) + static_cast<unsigned>(pad[tid()]) + framed<11>(1);
    };
    EXPECT_EQ(LAUNCH(2, 64, 0, clean), 0);
  }
}

// ---- host code that touches device memory
std::string by_host(const std::string& what, int line) {
  return "==WARPFUZZ== host-access: the launcher's host code " + what +
         ", which is device memory, at .*asan_test.cc:" + std::to_string(line);
}

TEST_F(AsanDeathTest, HostCodeTouchesATensor) {
  auto* x = static_cast<float*>(allocate_tensor("x", 3, 8 * 4, 4));
  x[2] = x[7] = 1;
  volatile float sink = 0;
  begin_host_code();
  EXPECT_DEATH(x[2] = 1, by_host("writes 4 bytes at element 2 of tensor x .8 elements.", __LINE__));
  EXPECT_DEATH(sink = x[7], by_host("reads 4 bytes at element 7 of tensor x .8 elements.", __LINE__));
  EXPECT_DEATH(sink = x[8], by_host("reads 4 bytes at 1 element past the end of tensor x .8 elements.", __LINE__));
  float copy[8];
  volatile std::size_t bytes = sizeof copy;
  EXPECT_DEATH(std::memcpy(copy, x, bytes), by_host("reads 32 bytes at element 0 of tensor x .8 elements.", __LINE__));
  EXPECT_DEATH(std::copy(copy, copy + bytes / 4, x), by_host("writes 32 bytes at element 0 of tensor x .*", __LINE__));
  EXPECT_DEATH(LAUNCH(1, 1, 0, [&] { sink = x[2]; }); x[2] = 1, by_host("writes 4 bytes at element 2 .*", __LINE__))
      << "closed again after a launch";
  end_host_code();
  x[2] = 2;
}

TEST_F(AsanDeathTest, HostCodeTouchesWhatItAllocatedOnTheDevice) {
  begin_host_code();
  auto* a = static_cast<char*>(device_alloc(13));
  auto* large = static_cast<char*>(device_alloc(std::size_t{3} << 30));
  ASSERT_TRUE(a && large);
  EXPECT_DEATH(a[12] = 1, by_host("writes 1 bytes at byte 12 of a cudaMalloc of 13 bytes", __LINE__));
  EXPECT_DEATH(large[0] = 1, by_host("writes 1 bytes at byte 0 of a cudaMalloc of 3221225472 bytes", __LINE__));
  EXPECT_DEATH(large[(std::size_t{3} << 30) - 1] = 1, by_host("writes 1 bytes at byte 3221225471 of .*", __LINE__));
  int* volatile symbol = table;  // as from cudaGetSymbolAddress
  EXPECT_DEATH(symbol[4] = 1, by_host("writes 4 bytes at a __device__ or __constant__ variable", __LINE__));
  EXPECT_EQ(LAUNCH(1, 13, 0, [&] { a[tid()] = large[tid()] = static_cast<char>(table[tid() % 5]); }), 0);
  EXPECT_EQ(device_free(large), 0);
  end_host_code();
  EXPECT_EQ(table[4], 5);
}

TEST_F(AsanTest, HostCodeMayTouchManagedAndPinnedMemoryAndItsOwn) {
  for (int i = 0; i < 20; ++i) {
    start({});
    const auto n = static_cast<std::size_t>(1 + i * 37);
    auto* x = static_cast<unsigned char*>(allocate_tensor("x", 0, n, 1));
    std::memset(x, 1, n);
    begin_host_code();
    auto* device = static_cast<unsigned char*>(device_alloc(n));
    auto* managed = static_cast<unsigned char*>(device_alloc(n, Reach::host_too));
    auto* large = static_cast<unsigned char*>(device_alloc(std::size_t{100} << 20, Reach::host_too));
    std::vector<unsigned char> own(n, 2);
    std::memset(managed, 3, n);
    large[0] = large[(std::size_t{100} << 20) - 1] = 4;
    {
      const DeviceAccess open;
      const DeviceAccess twice;
      std::memcpy(device, own.data(), n);
    }
    auto kernel = [&] {
      for (std::size_t k = tid(); k < n; k += 32) managed[k] = static_cast<unsigned char>(x[k] + device[k] + large[0]);
    };
    EXPECT_EQ(LAUNCH(3, 32, 0, kernel), 0);
    EXPECT_EQ(managed[n - 1], 7);
    if (i % 2) device_free(device);
    if (i % 3) end_host_code();  // or the launcher ended its case early
  }
}

TEST_F(AsanTest, NoFalseAlarmsOnRegularUse) {
  for (int i = 0; i < 50; ++i) {
    start({});
    std::size_t n = static_cast<std::size_t>(1 + i * 37);
    auto* x = static_cast<unsigned char*>(allocate_tensor("x", 0, n, 1));
    auto* w = static_cast<unsigned char*>(device_alloc(n));
    std::memset(x, 1, n);
    static SharedSlot slot;
    auto kernel = [&] {
      auto* s = static_cast<unsigned char*>(shared_storage(slot, 77, 1, 77, "s", HERE));
      auto* d = static_cast<unsigned char*>(warpfuzz_dynamic_shared);
      for (std::size_t k = tid(); k < 77; k += 32) s[k] = 1;
      sync_threads(HERE);
      for (std::size_t k = tid(); k < n; k += 32) d[k] = x[k] = w[k] = s[k % 77];
    };
    EXPECT_EQ(LAUNCH(3, 32, n, kernel), 0);
    EXPECT_EQ(w[n - 1], 1);
    if (i % 2) device_free(w);
  }
}

}  // namespace
}  // namespace warpfuzz::cpu
