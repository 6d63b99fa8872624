// expect: safe
// property: misuse
// why: a thread may be cancelled while another one waits for its end
#include <pthread.h>
#include <unistd.h>

pthread_t sleeper, canceller;

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
    pthread_create(&sleeper, 0, sleep_long, 0);
    pthread_create(&canceller, 0, cancel, 0);
    pthread_join(canceller, 0);
    pthread_join(sleeper, 0);
    return 0;
}
