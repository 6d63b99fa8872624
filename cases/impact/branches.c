// expect: safe
// property: reach,assert
// counts[impact.branches=together impact.invariants=learnt]: nodes <= 120
// counts[impact.branches=apart impact.invariants=learnt]: nodes > 1000
// why: two threads settle a balance in atomic sections with many ways through them; what a section does is one step, whichever way it takes
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int right = 10, held = 0;

static void settle(int amount) {
  __VERIFIER_atomic_begin();
  int part = amount < 0 ? 0 : amount > 3 ? 3 : amount;
  held = held > 5 ? held : held + 1;
  right = held == 2 ? right + part : right;
  held = part == 3 && held > 2 ? held - 1 : held;
  __VERIFIER_atomic_end();
}

void *worker(void *arg) {
  settle(__VERIFIER_nondet_int());
  settle(__VERIFIER_nondet_int());
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(held > 0);
  return 0;
}
