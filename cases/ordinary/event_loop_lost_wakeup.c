// expect: unsafe
// why: (deadlock) post() counts atomically and signals without the mutex: a signal between the loop's test and its wait is lost
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static atomic_int pending;

static void post(void)
{
    atomic_fetch_add(&pending, 1);
    pthread_cond_signal(&posted);
}

static void wait_for_event(void)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&pending) == 0)
        pthread_cond_wait(&posted, &lock);
    atomic_fetch_sub(&pending, 1);
    pthread_mutex_unlock(&lock);
}

static void *event_loop(void *arg)
{
    int events = *(int *)arg;
    for (int i = 0; i < events; i++) {
        wait_for_event();
        printf("event %d\n", i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    int events = 2;

    if (pthread_create(&t, NULL, event_loop, &events) != 0) {
        perror("pthread_create");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < events; i++)
        post();
    pthread_join(t, NULL);
    return EXIT_SUCCESS;
}
