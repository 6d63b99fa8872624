// expect: unsafe at 28
// property: reach,assert
// engines: cegar
// why: any number of threads, and the lock is read and taken in two steps: two of them are inside at once
#include <assert.h>
#include <pthread.h>

int lock, inside;

void *worker(void *arg) {
    (void)arg;
    int free = lock == 0;
    if (!free)
        return 0;
    lock = 1;
    int before = inside;
    inside = before + 1;
    int now = inside;
    inside = now - 1;
    lock = 0;
    // Somebody else was inside if the count was not one.
    if (now != 1)
        goto broken;
    return 0;
broken:
    // Which happens when two find the lock free.
    if (now > 1)
        assert(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, worker, 0);
}
