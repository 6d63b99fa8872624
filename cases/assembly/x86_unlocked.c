// expect: unsafe
// engines: explicit bmc
// why: a load and a store that are two instructions are no read-modify-write
#include <assert.h>
#include <pthread.h>

static long count;

static void *worker(void *unused)
{
    long old;
    __asm__ volatile("movq %1, %0" : "=r"(old) : "m"(count) : "memory");
    __asm__ volatile("movq %1, %0" : "=m"(count) : "r"(old + 1) : "memory");
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    worker(0);
    pthread_join(one, 0);
    assert(count == 2);
    return 0;
}
