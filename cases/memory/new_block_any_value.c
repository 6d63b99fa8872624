// expect[reach]: unsafe at 15
// engines: bmc cegar
// why: a new block holds any value, also where memory of another one was known before
#include <stdlib.h>
#include <pthread.h>
extern void reach_error(void);
int *g1;
void *f1(void *arg) { free(g1); return 0; }
int main(void) {
  pthread_t t;
  int *p0 = malloc(4);
  pthread_create(&t, 0, f1, 0);
  g1 = p0;
  int *p1 = malloc(4);
  if (*p1 == 2) reach_error();
  return 0;
}
