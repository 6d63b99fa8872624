// expect: safe
// property: misuse,deadlock
// engines: explicit bmc
// why: a loop that joins each element of an array joins nobody twice, nor does it where handles are copied but joined once
#include <pthread.h>

pthread_t threads[3];

void *worker(void *unused)
{
    return 0;
}

int main(void)
{
    pthread_t copy;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, 0);
    copy = threads[2];
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    pthread_join(copy, 0);
    return 0;
}
