// expect[assert]: safe
// engines: explicit bmc
// why: threads that return int, whose function is not known by name, have destructors like those of POSIX; the first thread's do not run, since it returns from main
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

tss_t key;
atomic_int sum;

void destroy(void *value)
{
    sum += *(int *)value;
}

int one = 1, two = 2;

int worker(void *value)
{
    tss_set(key, value);
    return *(int *)value;
}

int (*const workers[])(void *) = {worker, worker};

int main(void)
{
    thrd_t threads[2];
    int results[2];
    tss_create(&key, destroy);
    tss_set(key, &two);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], workers[i], i ? &two : &one);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], &results[i]);
    assert(results[0] + results[1] == 3 && sum == 3);
    return 0;
}
