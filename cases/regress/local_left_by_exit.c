// expect: unknown
// why: the local of a thread that has left by pthread_exit is gone, and its address may come again
#include <assert.h>
#include <pthread.h>

static int *last;

static void *visit(void *unused)
{
    int here = 1;
    int *other = last;
    last = &here;
    assert(other != &here);
    pthread_exit(0);
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
