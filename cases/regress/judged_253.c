// expect[imm]: unsafe
// property: race
// engines: bmc
// why: found by `cargo xtask fuzz judged --seed 253`; bmc: a read of another value than was written
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int d;
void *P0(void *unused) {
  { int p = d; }
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return 0;
}
void *P1(void *unused) {
  int r0 = atomic_load_explicit(&x, memory_order_seq_cst);
  if (r0 == 2) { d = 1; }
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, P0, 0);
  pthread_create(&t[1], 0, P1, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
