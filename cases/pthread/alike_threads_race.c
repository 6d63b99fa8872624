// expect: unsafe
// property: race
// engines: bmc explicit
// why: threads that are alike may be ordered by their first accesses, but not where these race
#include <pthread.h>

int y;

void *worker(void *unused)
{
    y = 1;
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    return 0;
}
