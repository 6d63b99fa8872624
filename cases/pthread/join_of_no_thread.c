// expect: unsafe
// expect[misuse]: unsafe at 17
// why: (misuse) one thread is started and two are joined; the second handle is zero
#include <pthread.h>

static pthread_t threads[2];

static void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_create(&threads[0], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
