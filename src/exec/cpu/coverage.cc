// Folding of the coverage counters.
#include "exec/cpu/coverage.h"

#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "exec/cpu/state.h"

extern "C" {
extern std::uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern std::uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
}

namespace warpfuzz::cpu {
namespace {

struct Counters {
  std::uint8_t* begin;
  std::size_t size;
};
Counters injected{nullptr, 0};
bool enabled = true, folding = false;
std::vector<std::uint8_t>& sum = *new std::vector<std::uint8_t>;  // of this launch
std::vector<std::uint8_t>& before =
    *new std::vector<std::uint8_t>;  // the counters at the start of a case without coverage

Counters counters() {
  if (injected.begin) return injected;
  return {__start___sancov_cntrs, static_cast<std::size_t>(__stop___sancov_cntrs - __start___sancov_cntrs)};
}

// sum += counters, counters = 0
void add_saturated(std::uint8_t* total, std::uint8_t* counter, std::size_t n) {
  std::size_t i = 0;
#if defined(__SSE2__)
  for (; i + 16 <= n; i += 16) {
    auto* t = reinterpret_cast<__m128i*>(total + i);
    auto* c = reinterpret_cast<__m128i*>(counter + i);
    _mm_storeu_si128(t, _mm_adds_epu8(_mm_loadu_si128(t), _mm_loadu_si128(c)));
    _mm_storeu_si128(c, _mm_setzero_si128());
  }
#endif
  for (; i < n; ++i) {
    unsigned both = total[i] + counter[i];
    total[i] = static_cast<std::uint8_t>(both > 255 ? 255 : both);
    counter[i] = 0;
  }
}

}  // namespace

void use_counters(std::uint8_t* begin, std::size_t size) { injected = {begin, size}; }

void begin_coverage(bool on) {
  enabled = on;
  Counters c = counters();
  if (!enabled) before.assign(c.begin, c.begin + c.size);
}

void end_coverage() {
  Counters c = counters();
  if (!enabled && before.size() == c.size && c.size) std::memcpy(c.begin, before.data(), c.size);
  enabled = true;
}

void begin_fold() {
  folding = enabled && counters().size != 0;
  if (folding) sum.assign(counters().size, 0);
  executor.fold_in = folding ? kFoldEvery : 0xffffffffu;
}

void fold_counters() {
  executor.fold_in = folding ? kFoldEvery : 0xffffffffu;
  if (folding) add_saturated(sum.data(), counters().begin, counters().size);
}

void end_fold() {
  if (!folding) return;
  fold_counters();
  std::memcpy(counters().begin, sum.data(), sum.size());
  folding = false;
}

}  // namespace warpfuzz::cpu
