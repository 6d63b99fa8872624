// expect[misuse]: unsafe at 23
// why: the loop that starts the threads leaves one out, and all are joined
#include <pthread.h>

static pthread_t threads[3];

static void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    int i;

    for (i = 0; i < 3; i++) {
        if (i == 1)
            continue;
        if (pthread_create(&threads[i], 0, worker, 0) != 0)
            return 1;
    }
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
