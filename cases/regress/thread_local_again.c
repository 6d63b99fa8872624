// expect: unknown
// why: the thread-local object of a new thread may lie where that of a thread that has ended lay
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine;
static int *last;

static void *visit(void *unused)
{
    int *other = last;
    last = &mine;
    assert(other != &mine);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, visit, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, visit, 0);
    pthread_join(thread, 0);
    return 0;
}
