// expect[assert]: unsafe
// engines: explicit bmc
// why: main may end as a thread and be joined by one that it has started
#include <assert.h>
#include <pthread.h>

static int value;

static void *waits(void *handle)
{
    pthread_join((pthread_t)handle, 0);
    assert(value == 0);
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, waits, (void *)pthread_self());
    value = 3;
    pthread_exit(0);
}
