// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: what a thread reads on its way out is read before its stores have reached memory, though it is joined only after that
#include <assert.h>
#include <pthread.h>

long x, y;

void *first(void *unused) {
  (void)unused;
  x = 1;
  long read = y;
  return (void *)read;
}

void *second(void *unused) {
  (void)unused;
  y = 1;
  return (void *)x;
}

int main(void) {
  pthread_t one, other;
  void *by_one, *by_other;
  pthread_create(&one, 0, first, 0);
  pthread_create(&other, 0, second, 0);
  pthread_join(one, &by_one);
  pthread_join(other, &by_other);
  assert(by_one || by_other);
}
