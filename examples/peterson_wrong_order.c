// Peterson's algorithm with two lines swapped: `turn` is written before `wants`. Then both threads can enter.
// expect: unsafe at 25
// property: assert
// why: a thread can pass its test before the other has said that it wants to enter
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
atomic_int inside;

void enter(int me) {
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
    }
}

void leave(int me) { atomic_store(&wants[me], 0); }

void *worker(void *arg) {
    int me = arg != 0;
    enter(me);
    int before = atomic_fetch_add(&inside, 1);
    assert(before == 0);
    atomic_fetch_sub(&inside, 1);
    leave(me);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, (void *)0);
    pthread_create(&second, 0, worker, (void *)1);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
