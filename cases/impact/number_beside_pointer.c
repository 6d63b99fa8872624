// expect: safe
// property: basic
// engines: cegar impact
// why: a number that is always zero is no pointer that is null, though both are as long
#include <pthread.h>
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int *cells;
static long first;

static void *clear(void *arg) {
  first = 0;
  return arg;
}

int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar();
  if (n < 1)
    return 0;
  cells = calloc(n, sizeof *cells);
  pthread_t thread;
  pthread_create(&thread, 0, clear, 0);
  cells[first] = 1;
}
