// expect: safe
// why: two locks are wanted in opposite orders, but the second one is only tried; who fails lets go and waits longer, up to a maximum
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define MAX_DELAY_US 800

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t net = PTHREAD_MUTEX_INITIALIZER;
static int transfers;

static void back_off(long *delay_us)
{
    struct timespec ts = { 0, *delay_us * 1000 };
    nanosleep(&ts, NULL);
    if (*delay_us < MAX_DELAY_US)
        *delay_us *= 2;
}

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    long delay_us = 50;

    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
        back_off(&delay_us);
    }
}

static void transfer(pthread_mutex_t *first, pthread_mutex_t *second)
{
    lock_both(first, second);
    transfers++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *upload(void *arg)
{
    int n = *(int *)arg;
    for (int i = 0; i < n; i++)
        transfer(&disk, &net);
    return NULL;
}

static void *download(void *arg)
{
    int n = *(int *)arg;
    for (int i = 0; i < n; i++)
        transfer(&net, &disk);
    return NULL;
}

int main(void)
{
    pthread_t u, d;
    int n = 2;

    if (pthread_create(&u, NULL, upload, &n) != 0 || pthread_create(&d, NULL, download, &n) != 0)
        abort();
    pthread_join(u, NULL);
    pthread_join(d, NULL);
    assert(transfers == 2 * n);
    return 0;
}
