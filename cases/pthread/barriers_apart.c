// expect[race]: unsafe
// why: two barriers order only the threads that meet at each of them
#include <pthread.h>

pthread_barrier_t left, right;
int shared;

void *writer(void *arg) {
    shared = 1;
    pthread_barrier_wait(&left);
    return 0;
}

void *other(void *arg) {
    pthread_barrier_wait(&left);
    return 0;
}

void *partner(void *arg) {
    pthread_barrier_wait(&right);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&left, 0, 2);
    pthread_barrier_init(&right, 0, 2);
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_create(&threads[2], 0, partner, 0);
    pthread_barrier_wait(&right);
    int seen = shared;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&left);
    pthread_barrier_destroy(&right);
    return seen;
}
