// Instrumented for the CPU: functions whose edges the test counts.
#include "sample.h"

extern "C" {
void at(int);  // the test's, so that the compiler can't drop a branch, nor merge two
void there(int);

int two_ways(int a) {
  if (a > 10) at(1);
  else there(2);
  return a;
}
void loop(int n) {
  for (int i = 0; i < n; ++i) at(i);
}
int choose(int a) {
  switch (a) {
    case 1: at(10); return 100;
    case 7: at(20); return 200;
    case 8: at(30); break;
    case 1000: at(40); return 400;
    default: at(50);
  }
  return 7;
}
long early(long a) {
  if (a < 0) return at(1), -1;
  at(2);
  if (a > 100) return at(3), a * 2;
  at(4);
  return a + 1;
}
__attribute__((noinline)) int depth(int n) {
  at(n);
  return n == 0 ? 0 : 1 + depth(n - 1);
}
__attribute__((noinline)) static void helper(int a) {
  if (a & 1) at(1);
}
int calls(int a) {
  helper(a);
  at(0);
  helper(a >> 1);
  return a;
}
void straight() { at(0); }

// 300 ways: more edges than a function keeps in registers.
#define ONE(N) if (bits[(N) / 8] >> ((N) % 8) & 1) at(N);
#define TEN(N) ONE(N) ONE(N + 1) ONE(N + 2) ONE(N + 3) ONE(N + 4) ONE(N + 5) ONE(N + 6) ONE(N + 7) ONE(N + 8) ONE(N + 9)
#define HUNDRED(N) TEN(N) TEN(N + 10) TEN(N + 20) TEN(N + 30) TEN(N + 40) TEN(N + 50) TEN(N + 60) TEN(N + 70) TEN(N + 80) TEN(N + 90)
void many(const unsigned char* bits) { HUNDRED(0) HUNDRED(100) HUNDRED(200) }
}
WF_SAMPLE(flow_module);
