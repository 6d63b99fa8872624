// Three dining philosophers, each takes the left fork first. All can hold one fork and wait for the other.
// expect: unsafe
// property: deadlock
// why: the circle of forks is a circle of waiting
#include <pthread.h>

#define N 3
pthread_mutex_t fork_lock[N];

void *philosopher(void *arg) {
    int me = (int)(long)arg;
    int left = me, right = (me + 1) % N;
    pthread_mutex_lock(&fork_lock[left]);
    pthread_mutex_lock(&fork_lock[right]);
    pthread_mutex_unlock(&fork_lock[right]);
    pthread_mutex_unlock(&fork_lock[left]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_lock[i], 0);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
