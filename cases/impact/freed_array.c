// expect: safe
// property: basic
// engines: impact
// knobs: impact.order=lockstep impact.invariants=guessed
// why: an array of any size is a variable also if it is freed at the end, indexed by numbers shorter than its pointer, and empty
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int *cells;
int n;
int once, again;

void *add_up(void *unused) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += cells[i];
  }
  once = sum;
  return unused;
}

void *add_too(void *unused) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += cells[i];
  }
  again = sum;
  return unused;
}

int main(void) {
  n = __VERIFIER_nondet_int();
  if (n < 0) {
    return 0;
  }
  cells = malloc(n * sizeof *cells);
  for (int i = 0; i < n; i++) {
    cells[i] = __VERIFIER_nondet_int();
  }
  pthread_t one, other;
  pthread_create(&one, 0, add_up, 0);
  pthread_create(&other, 0, add_too, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  assert(once == again);
  free(cells);
}
