// expect[assert]: unknown
// expect[memsafety]: unsafe
// why: between free and the end of the process a thread that nobody has joined may still read what was freed; what it reads then can be anything
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *reader(void *arg) {
  int *cells = arg;
  assert(cells[2] == 0);
  return 0;
}

int main(void) {
  shared = calloc(3, sizeof *shared);
  pthread_t thread;
  pthread_create(&thread, 0, reader, shared);
  free(shared);
  return 0;
}
