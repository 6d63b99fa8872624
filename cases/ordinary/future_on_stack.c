// expect: unsafe
// why: (invalid access) when the wait times out, fetch() returns and its local promise is gone, while the detached worker still writes it
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct promise {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int done, value;
};

static void *download(void *arg)
{
    struct promise *p = arg;
    usleep(2000);
    pthread_mutex_lock(&p->lock);
    p->value = 200;
    p->done = 1;
    pthread_cond_signal(&p->ready);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int fetch(int *status)
{
    struct promise p = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
    struct timespec until;
    pthread_t t;
    int rc = 0;

    if (pthread_create(&t, NULL, download, &p) != 0)
        return -1;
    pthread_detach(t);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&p.lock);
    while (!p.done && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&p.ready, &p.lock, &until);
    if (p.done)
        *status = p.value;
    pthread_mutex_unlock(&p.lock);
    return rc == ETIMEDOUT ? -1 : 0;
}

int main(void)
{
    int status = 0;

    if (fetch(&status) != 0)
        fprintf(stderr, "timed out\n");
    else
        printf("status %d\n", status);
    usleep(10000);
    return EXIT_SUCCESS;
}
