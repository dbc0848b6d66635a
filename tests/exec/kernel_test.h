// Kernels for the executor's tests, written as what the rewriter makes of them: a function that runs one thread.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "exec/cpu/case.h"
#include "exec/cpu/executor.h"

namespace warpfuzz::cpu {

#define HERE (::warpfuzz::cpu::Site{__builtin_FILE(), __builtin_LINE(), __builtin_COLUMN()})

// A grid of 1-D blocks; body() is one thread. Returns what launch() does.
inline int run(Index3 grid, Index3 block, const std::function<void()>& body, std::size_t dynamic_shared = 0,
               const char* kernel = "kernel", std::size_t max_dynamic = kSharedDefault, std::size_t static_shared = 0) {
  auto thread = [](void* f) { (*static_cast<const std::function<void()>*>(f))(); };
  return launch({grid, block, dynamic_shared}, thread, const_cast<std::function<void()>*>(&body), kernel, max_dynamic,
                static_shared);
}
inline int run(unsigned grid, unsigned block, const std::function<void()>& body) {
  return run({grid, 1, 1}, {block, 1, 1}, body);
}

inline unsigned tid() { return warpfuzz_thread_idx.x; }
inline unsigned bid() { return warpfuzz_block_idx.x; }

// Every test is a case of its own.
class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() { begin_case({}, 0, true); }
  ~ExecutorTest() override { end_case(); }
  const ExecStatus& status() const { return current_case().status; }
  void start(const Schedule& s, int variant = 0) {
    end_case();
    begin_case(s, variant, true);
  }
};

}  // namespace warpfuzz::cpu
