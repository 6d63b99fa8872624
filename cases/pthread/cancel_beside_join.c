// expect: unsafe at 17
// property: misuse
// why: who is cancelled beside the join of it may have been joined by then, where nobody waits for the one that cancels
#include <pthread.h>
#include <unistd.h>

pthread_t sleeper;

void *sleep_long(void *arg)
{
    sleep(100);
    return arg;
}

void *cancel(void *arg)
{
    pthread_cancel(sleeper);
    return arg;
}

int main(void)
{
    pthread_t canceller;
    pthread_create(&sleeper, 0, sleep_long, 0);
    pthread_create(&canceller, 0, cancel, 0);
    pthread_join(sleeper, 0);
    pthread_join(canceller, 0);
    return 0;
}
