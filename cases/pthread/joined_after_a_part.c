// expect[misuse]: unsafe at 26
// why: the threads are joined from the first on, and started from the second on; the function that would start the first is not called
#include <pthread.h>

static pthread_t threads[3];

static void *worker(void *arg)
{
    return arg;
}

void start_first(void)
{
    pthread_create(&threads[0], 0, worker, 0);
}

int main(void)
{
    int count = 3;

    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], 0, worker, 0);
    count = 3;
    for (int i = 0; i < count; i++) {
        void *result;
        pthread_join(threads[i], &result);
    }
    return 0;
}
