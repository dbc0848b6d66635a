// Bounds as they are checked: to the byte, at both ends, for all sizes and kinds of access. The sample is instrumented for the CPU by the
// same pass and the same runtime.
#include <gtest/gtest.h>

#include "host_module.h"

extern const warpfuzz::cuda::ModuleSymbols memory_module;
extern "C" {
int load32(const int*);
unsigned char load8(const unsigned char*);
unsigned short load16(const unsigned short*);
long load64(const long*);
unsigned __int128 load128(const void*);
void store32(int*, int);
int add32(int*, int);
bool swap32(int*, int, int);
void copy_row(void*, const void*);
int variable(long);
void set_variable(long, int);
int local(int);
}

namespace warpfuzz::cuda {
namespace {

class Bounds : public ::testing::Test {
 protected:
  HostModule module{memory_module};
  alignas(64) unsigned char memory[512] = {};
  unsigned char* tensor(std::uint32_t offset, std::uint32_t size) {
    module.set_tensor(memory + offset, size);
    return memory + offset;
  }
  DeviceFinding take() {
    const DeviceFinding f = module.header().finding;
    module.header().finding = {};
    return f;
  }
  void SetUp() override { wf_host_global_begin = 0, wf_host_global_end = ~0ull; }
  void TearDown() override { SetUp(); }
};

TEST_F(Bounds, ExactForEverySizeAndOffset) {
  for (std::uint32_t bytes : {0u, 1u, 3u, 4u, 15u, 16u, 17u, 100u}) {
    unsigned char* begin = tensor(200, bytes);
    const auto expect = [&](int size, auto&& access) {
      for (int off = -40; off < static_cast<int>(bytes) + 40; ++off) {
        access(begin + off);
        const DeviceFinding f = take();
        const bool inside = off >= 0 && off + size <= static_cast<int>(bytes);
        ASSERT_EQ(f.claimed, inside ? 0u : 1u) << size << " bytes at " << off << " of " << bytes;
        if (inside) continue;
        EXPECT_EQ(f.address, reinterpret_cast<std::uintptr_t>(begin + off));
        EXPECT_EQ(f.size, static_cast<std::uint32_t>(size));
        EXPECT_EQ(f.access, static_cast<std::uint32_t>(Access::read));
      }
    };
    expect(1, [](unsigned char* p) { load8(p); });
    expect(2, [](unsigned char* p) { load16(reinterpret_cast<unsigned short*>(p)); });
    expect(4, [](unsigned char* p) { load32(reinterpret_cast<int*>(p)); });
    expect(8, [](unsigned char* p) { load64(reinterpret_cast<long*>(p)); });
    expect(16, [](unsigned char* p) { load128(p); });
  }
}

TEST_F(Bounds, ReadsGiveNaNsAndWritesGoNowhere) {
  int* p = reinterpret_cast<int*>(tensor(0, 16));
  p[3] = 7, p[4] = 1234;
  EXPECT_EQ(load32(p + 3), 7);
  EXPECT_EQ(take().claimed, 0u);
  EXPECT_EQ(load32(p + 4), 0x7fff7fff);
  EXPECT_EQ(take().claimed, 1u);
  store32(p + 3, 8);
  EXPECT_EQ(p[3], 8);
  EXPECT_EQ(take().claimed, 0u);
  store32(p + 4, 99);
  EXPECT_EQ(p[4], 1234);
  EXPECT_EQ(take().access, static_cast<std::uint32_t>(Access::write));
  EXPECT_EQ(load32(p + 5), 0x7fff7fff);  // the write left the poison alone
}

TEST_F(Bounds, Atomics) {
  int* p = reinterpret_cast<int*>(tensor(0, 16));
  EXPECT_EQ(add32(p + 3, 5), 0);
  EXPECT_TRUE(swap32(p + 3, 5, 6));
  EXPECT_EQ(take().claimed, 0u);
  add32(p + 4, 5);
  EXPECT_EQ(take().access, static_cast<std::uint32_t>(Access::atomic));
  swap32(p + 4, 0, 6);
  EXPECT_EQ(take().access, static_cast<std::uint32_t>(Access::atomic));
  EXPECT_EQ(p[4], 0);
}

TEST_F(Bounds, CopiesOfKnownSize) {
  unsigned char* p = tensor(0, 320);
  copy_row(p + 160, p);
  EXPECT_EQ(take().claimed, 0u);
  memory[330] = 9;
  copy_row(p + 164, p);  // 4 bytes too far
  const DeviceFinding f = take();
  EXPECT_EQ(f.claimed, 1u);
  EXPECT_EQ(f.access, static_cast<std::uint32_t>(Access::write));
  EXPECT_EQ(memory[330], 9);
}

TEST_F(Bounds, TheFirstFindingStays) {
  int* p = reinterpret_cast<int*>(tensor(0, 16));
  wf_host_block[0] = 4, wf_host_block[1] = 5, wf_host_thread[0] = 6, wf_host_thread[2] = 7;
  load32(p + 10);
  wf_host_block[0] = 99;
  store32(p + 20, 1);
  const DeviceFinding f = take();
  EXPECT_EQ(f.address, reinterpret_cast<std::uintptr_t>(p + 10));
  EXPECT_EQ(f.access, static_cast<std::uint32_t>(Access::read));
  EXPECT_TRUE(f.block[0] == 4 && f.block[1] == 5 && f.block[2] == 0 && f.thread[0] == 6 && f.thread[2] == 7);
  const std::string where = reinterpret_cast<const char*>(f.where);
  EXPECT_NE(where.find("samples/memory_host.cc:8: load32"), std::string::npos) << where;
}

TEST_F(Bounds, OtherMemoryThatTheKernelMayTouch) {
  tensor(0, 16);
  int other[8] = {};
  other[7] = 3;
  const auto begin = reinterpret_cast<std::uintptr_t>(other);
  module.header().range_count = 2;
  module.header().ranges[0] = {1, 2};
  module.header().ranges[1] = {begin, begin + sizeof other};
  EXPECT_EQ(load32(other + 7), 3);
  EXPECT_EQ(take().claimed, 0u);
  load64(reinterpret_cast<long*>(other + 7));
  EXPECT_EQ(take().claimed, 1u);
}

TEST_F(Bounds, MemoryThatIsNotGlobalIsFine) {
  tensor(0, 16);
  int other = 5;
  wf_host_global_begin = reinterpret_cast<std::uintptr_t>(memory),
  wf_host_global_end = wf_host_global_begin + sizeof memory;
  if (reinterpret_cast<std::uintptr_t>(&other) - wf_host_global_begin < sizeof memory) FAIL();
  EXPECT_EQ(load32(&other), 5);
  EXPECT_EQ(take().claimed, 0u);
}

TEST_F(Bounds, VariablesByTheirOwnSize) {
  tensor(0, 16);
  EXPECT_EQ(variable(9), 19);
  set_variable(9, 20);
  EXPECT_EQ(variable(9), 20);
  EXPECT_EQ(take().claimed, 0u);
  EXPECT_EQ(variable(10), 0x7fff7fff);
  EXPECT_EQ(take().size, 4u);
  set_variable(-1, 3);
  EXPECT_EQ(take().access, static_cast<std::uint32_t>(Access::write));
}

TEST_F(Bounds, LocalMemoryIsNotChecked) {
  tensor(0, 16);
  wf_host_global_begin = 0;
  EXPECT_EQ(local(10), 3);
  EXPECT_EQ(take().claimed, 0u);
  EXPECT_EQ(module.count(kCountAccesses), 12u);  // 5 loads, a store, 2 atomics, 2 of the copy, 2 of the variable
}

}  // namespace
}  // namespace warpfuzz::cuda
