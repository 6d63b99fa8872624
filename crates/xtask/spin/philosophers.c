// Nine dining philosophers for ever; the last one takes the forks the other way round, so that no circle of waiting closes.
#include <pthread.h>

#define N 9

pthread_mutex_t fork[N];

void *philosopher(void *arg) {
    unsigned long me = (unsigned long)arg;
    unsigned long first = me == N - 1 ? 0 : me;
    unsigned long second = me == N - 1 ? me : me + 1;
    while (1) {
        pthread_mutex_lock(&fork[first]);
        pthread_mutex_lock(&fork[second]);
        pthread_mutex_unlock(&fork[second]);
        pthread_mutex_unlock(&fork[first]);
    }
}

int main(void) {
    pthread_t t;
    for (unsigned long i = 0; i < N; i++) pthread_create(&t, 0, philosopher, (void *)i);
    pthread_exit(0);
}
