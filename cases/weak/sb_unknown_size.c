// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: elements of blocks whose size nobody knows wait in buffers like all else, also for engines that make a variable of such a block
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int *x, *y;
int seen_by_one, seen_by_other;

void *one(void *unused) {
  x[0] = 1;
  seen_by_one = y[0];
  return unused;
}

void *other(void *unused) {
  y[0] = 1;
  seen_by_other = x[0];
  return unused;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) {
    return 0;
  }
  x = calloc(n, sizeof *x);
  y = calloc(n, sizeof *y);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  assert(seen_by_one == 1 || seen_by_other == 1);
  free(x);
  free(y);
}
