// expect[misuse]: unsafe
// options: --fallible
// why: if the thread cannot be started, its handle is whatever was there
#include <pthread.h>

static void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
