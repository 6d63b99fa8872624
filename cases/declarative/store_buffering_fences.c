// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// why: fences order each store before the load behind it
#include <assert.h>
#include <pthread.h>

int x, y, a, b;

static void *first(void *arg)
{
    x = 1;
    __sync_synchronize();
    a = y;
    return 0;
}

static void *second(void *arg)
{
    y = 1;
    __sync_synchronize();
    b = x;
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(a == 1 || b == 1);
    return 0;
}
