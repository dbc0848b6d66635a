// Instrumented for the CPU: comparisons of all widths.
#include "sample.h"

extern "C" {
void at(int);

#define COMPARE(NAME, TYPE) void NAME(TYPE a, TYPE b) { if (a < b) at(1); }
COMPARE(less_i32, int)
COMPARE(less_u32, unsigned)
COMPARE(less_i64, long)
COMPARE(less_u64, unsigned long)
COMPARE(less_i8, signed char)
COMPARE(less_u16, unsigned short)
void constants(int a) {
  if (a == 1234567) at(1);
}
void pointers(const int* a, const int* b) {
  if (a == b) at(1);
}
void pick(int a) {
  switch (a) {
    case 100: return at(1);
    case 5000: return at(2);
    case 70000: return at(3);
    default: return at(4);
  }
}
// The same pair of operands, over and over.
void in_loop(const int* a, int b, int n) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (int i = 0; i < n; ++i) {
    if (a[i] == b) at(i);
  }
}
// 40 compares: more than a function keeps in registers.
#define ONE(N) if (a[N] == N + 1000) at(N);
#define TEN(N) ONE(N) ONE(N + 1) ONE(N + 2) ONE(N + 3) ONE(N + 4) ONE(N + 5) ONE(N + 6) ONE(N + 7) ONE(N + 8) ONE(N + 9)
void many_compares(const int* a) { TEN(0) TEN(10) TEN(20) TEN(30) }
}
WF_SAMPLE(compare_module);
