// Instrumented for the CPU: accesses of all kinds.
#include "sample.h"

struct Row { int v[40]; };
namespace { int table[10] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}; }

extern "C" {
int load32(const int* p) { return *p; }
unsigned char load8(const unsigned char* p) { return *p; }
unsigned short load16(const unsigned short* p) { return *p; }
long load64(const long* p) { return *p; }
typedef unsigned __int128 Wide __attribute__((aligned(1)));
unsigned __int128 load128(const Wide* p) { return *p; }
void store32(int* p, int v) { *p = v; }
int add32(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
bool swap32(int* p, int from, int to) { return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); }
void copy_row(Row* to, const Row* from) { __builtin_memcpy(to, from, sizeof(Row)); }
int variable(long i) { return table[i]; }
void set_variable(long i, int v) { table[i] = v; }
int local(int i) {
  volatile int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  return a[i & 7];
}
}
WF_SAMPLE(memory_module);
