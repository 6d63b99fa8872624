// expect: unsafe
// why: (deadlock) everybody takes the left fork first: with all left forks taken, all wait in a circle
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEATS 3
#define MEALS 2

static pthread_mutex_t forks[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void think(int seat)
{
    usleep(1000 * (seat + 1));
}

static void *dine(void *arg)
{
    int seat = (int)(long)arg;
    pthread_mutex_t *left = &forks[seat];
    pthread_mutex_t *right = &forks[(seat + 1) % SEATS];

    for (int i = 0; i < MEALS; i++) {
        think(seat);
        pthread_mutex_lock(left);
        pthread_mutex_lock(right);
        printf("%d eats\n", seat);
        pthread_mutex_unlock(right);
        pthread_mutex_unlock(left);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];

    for (long i = 0; i < SEATS; i++) {
        int err = pthread_create(&threads[i], NULL, dine, (void *)i);
        if (err != 0) {
            fprintf(stderr, "pthread_create: error %d\n", err);
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
