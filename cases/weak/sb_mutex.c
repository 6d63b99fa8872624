// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: unlocking lets what was stored before reach memory
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int x, y, r1, r2;

static void *thread1(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    r1 = y;
    return 0;
}

static void *thread2(void *arg)
{
    pthread_mutex_lock(&n);
    y = 1;
    pthread_mutex_unlock(&n);
    r2 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(r1 == 1 || r2 == 1);
    return 0;
}
