// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// engines: bmc
// property: valid-deref,valid-free
// why: the flag that keeps the object alive waits in a buffer while the other thread looks
#include <pthread.h>
#include <stdlib.h>

int *p, reading, freeing;

static void *reader(void *arg)
{
    reading = 1;
    if (!freeing)
        *p = 1;
    return 0;
}

static void *owner(void *arg)
{
    freeing = 1;
    if (!reading)
        free(p);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    p = malloc(sizeof *p);
    pthread_create(&t1, 0, reader, 0);
    pthread_create(&t2, 0, owner, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
