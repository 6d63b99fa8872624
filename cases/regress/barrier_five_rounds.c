// expect: safe
// property: deadlock
// engines: explicit
// why: a barrier is used five times; after four rounds it was taken to be stuck
#include <pthread.h>

pthread_barrier_t barrier;

void *rounds(void *arg) {
    for (int i = 0; i < 5; i++)
        pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, rounds, 0);
    rounds(0);
    pthread_join(thread, 0);
    return 0;
}
