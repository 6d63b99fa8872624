// expect[assert]: unknown
// why: a new thread blocks what its creator did, which is not followed
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

static void *worker(void *arg)
{
    raise(SIGUSR1);
    assert(handled);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;

    signal(SIGUSR1, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
