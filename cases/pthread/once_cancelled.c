// expect: safe
// why: a call of once whose routine is cancelled counts as none, and the next one runs the routine
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int tries, made;

static void make(void)
{
    tries++;
    if (tries == 1)
        sleep(1);
    made = 1;
}

static void *work(void *arg)
{
    pthread_once(&once, make);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    pthread_once(&once, make);
    assert(made == 1);
    assert(tries == 1 || tries == 2);
    return 0;
}
