// expect[misuse]: unsafe at 22
// why: the thread is started only if there is an argument, and joined in any case
#include <pthread.h>

static int jobs;

static void *worker(void *arg)
{
    jobs++;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread = 0;

    (void)argv;
    if (argc > 1 && pthread_create(&thread, 0, worker, 0) != 0)
        return 1;
    if (argc > 1)
        jobs = 0;
    pthread_join(thread, 0);
    return 0;
}
