// expect[rc11]: unknown
// expect[sc.cat]: unknown
// expect[tso.cat]: unknown
// expect[sc]: unsafe
// property: reach,assert
// why: a number whose first byte another thread has written: under axioms accesses of several sizes are not covered, and no answer may come of leaving such executions out
#include <assert.h>
#include <pthread.h>

int number;

static void *writer(void *arg)
{
    ((unsigned char *)&number)[0] = 5;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_join(thread, 0);
    assert(number == 1);
    return 0;
}
