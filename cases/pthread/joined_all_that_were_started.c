// expect[misuse]: safe
// why: every element that is joined was given to a creation before, in loops of the same length
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_t threads[3];

static void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();

    if (count < 0 || count > 3)
        return 0;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < count; ++i)
        pthread_join(threads[i], 0);
    return 0;
}
