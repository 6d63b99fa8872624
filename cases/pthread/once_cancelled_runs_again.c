// expect[assert]: unsafe
// why: the routine of a call of once runs a second time where the first was cancelled, after what it pushed was run
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int tries, undone;

static void undo(void *arg) { undone++; }

static void make(void)
{
    tries++;
    pthread_cleanup_push(undo, 0);
    if (tries == 1)
        pthread_testcancel();
    pthread_cleanup_pop(0);
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
    assert(tries == 1 || undone == 0);
    return 0;
}
