// expect[deadlock]: unknown
// why: who prints waits for the lock of the stream, which is not followed
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *printer(void *arg)
{
    flockfile(stdout);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    funlockfile(stdout);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, printer, 0);
    pthread_mutex_lock(&lock);
    puts("one waits for the other");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
