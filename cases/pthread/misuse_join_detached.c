// expect: unsafe at 17
// property: misuse
// engines: explicit bmc cegar
// why: nobody may wait for a thread that was detached
#include <pthread.h>

void *worker(void *unused)
{
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    pthread_join(thread, 0);
    return 0;
}
