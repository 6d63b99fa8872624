// expect: safe
// options: --model power
// engines: bmc
// why: a loop of a reservation and a conditional store is a compare-exchange, left without a store if what is there differs
#include <assert.h>
#include <pthread.h>

static long word_of_lock;
static int sum;

static int compare_and_swap(long *at, long expected, long desired)
{
    long old;
    __asm__ volatile("1:;"
                     "ldarx %0, 0, %1;"
                     "cmpd 0, %0, %2;"
                     "bne- 2f;"
                     "stdcx. %3, 0, %1;"
                     "bne- 1b;"
                     "lwsync;"
                     "2:"
                     : "=&r"(old)
                     : "r"(at), "r"(expected), "r"(desired)
                     : "memory", "cc");
    return old == expected;
}

static void *worker(void *unused)
{
    while (!compare_and_swap(&word_of_lock, 0, 1))
        ;
    sum = sum + 1;
    __asm__ volatile("lwsync" ::: "memory");
    __asm__ volatile("std%U0%X0 %1, %0" : "=m"(word_of_lock) : "r"(0L) : "memory");
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    worker(0);
    pthread_join(one, 0);
    assert(sum == 2);
    return 0;
}
