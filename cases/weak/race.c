// expect[sc]: unsafe
// expect[tso]: unknown
// property: race
// engines: bmc
// why: what a data race is where stores are buffered is not defined; engines say so
#include <pthread.h>

int x;

static void *writer(void *arg)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
