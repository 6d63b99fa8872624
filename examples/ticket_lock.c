// A ticket lock: take a number, wait until it is called. Three threads, mutual exclusion, no race on the plain counter.
// expect: safe
// expect[race]: safe
// why: numbers are handed out by one atomic step, and the release publishes the counter
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next_ticket, now_serving;
int counter;

void *worker(void *arg) {
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine) {
    }
    counter++;
    atomic_store(&now_serving, mine + 1);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(counter == 3);
    return 0;
}
