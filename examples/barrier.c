// Two phases with a barrier between them: every thread sees what all the others wrote in the first phase.
// expect: safe
// expect[race]: safe
// why: nobody passes the barrier before all have come
#include <assert.h>
#include <pthread.h>

#define N 3
pthread_barrier_t barrier;
int part[N];

void *worker(void *arg) {
    int me = (int)(long)arg;
    part[me] = 1;
    pthread_barrier_wait(&barrier);
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += part[i];
    assert(sum == N);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, 0, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
