// expect: safe
// expect[race]: safe
// engines: explicit bmc
// why: who has been let go does not look at the barrier again, so the serial thread may destroy it
#include <pthread.h>
#include <stdlib.h>

pthread_barrier_t *barrier;
int first, second;

void *arrive(void *arg) {
    if (arg)
        first = 1;
    else
        second = 1;
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    return first + second == 2 ? 0 : barrier;
}

int main(void) {
    pthread_t thread;
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, 0, 2);
    pthread_create(&thread, 0, arrive, &first);
    arrive(0);
    pthread_join(thread, 0);
    return 0;
}
