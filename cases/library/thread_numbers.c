// expect: safe
// property: assert
// why: the first thread of a process has its number, and no other thread has
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

void *worker(void *arg) {
    assert(gettid() != getpid());
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(gettid() == getpid());
    pthread_join(t, 0);
    return 0;
}
