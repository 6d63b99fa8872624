// expect: safe
// property: misuse
// why: until the join of a thread comes to its end its handle names it
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int told;
static pthread_t waiter;

static void *wait_for_it(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!told)
        pthread_cond_wait(&change, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *ask(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_kill(waiter, 0);
    told = 1;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t asker;
    pthread_create(&waiter, 0, wait_for_it, 0);
    pthread_create(&asker, 0, ask, 0);
    pthread_join(waiter, 0);
    pthread_join(asker, 0);
    return 0;
}
