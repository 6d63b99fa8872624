// expect[assert]: safe
// engines: explicit
// why: instructions with lock, and xchg without, are read-modify-writes whose results the program sees
#include <assert.h>
#include <pthread.h>

static int count, lock_word, sum;

static int fetch_and_add(int *at, int by)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(by), "+m"(*at) : : "memory", "cc");
    return by;
}

static int exchange(int *at, int value)
{
    __asm__ volatile("xchg %0, %1" : "=r"(value), "+m"(*at) : "0"(value) : "memory");
    return value;
}

static int compare_and_swap(int *at, int expected, int desired)
{
    char is_done;
    __asm__ volatile("lock cmpxchgl %3, %1\n\tsete %0"
                     : "=q"(is_done), "+m"(*at), "+a"(expected)
                     : "r"(desired)
                     : "memory", "cc");
    return is_done;
}

static int decrease_to_zero(int *at)
{
    unsigned char is_zero;
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(*at), "=qm"(is_zero) : : "memory");
    return is_zero;
}

static void take(void)
{
    while (exchange(&lock_word, 1))
        __asm__ volatile("pause");
}

static void give(void)
{
    __asm__ volatile("movl %1, %0" : "=m"(lock_word) : "r"(0) : "memory");
}

static void *worker(void *unused)
{
    fetch_and_add(&count, 2);
    take();
    sum = sum + 1;
    give();
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    worker(0);
    pthread_join(one, 0);
    assert(count == 4 && sum == 2 && lock_word == 0);
    assert(!compare_and_swap(&count, 3, 7) && count == 4);
    assert(compare_and_swap(&count, 4, 2) && count == 2);
    assert(!decrease_to_zero(&count) && decrease_to_zero(&count));
    assert(fetch_and_add(&count, -5) == 0 && count == -5);
    return 0;
}
