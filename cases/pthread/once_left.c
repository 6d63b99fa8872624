// expect: unknown
// why: POSIX does not say what becomes of a call of once whose routine ends the thread: refused by name
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void leave(void) { pthread_exit(0); }

static void *work(void *arg)
{
    pthread_once(&once, leave);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_once(&once, leave);
    return 0;
}
