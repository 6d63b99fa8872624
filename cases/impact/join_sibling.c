// expect[assert]: safe
// engines: impact
//
// A thread waits for a sibling: where each of them stores whether its handle is known depends on who runs, and the checker of
// proofs has to see that too.
#include <assert.h>
#include <pthread.h>

int done;
pthread_t first;

void *work(void *arg)
{
    done = 1;
    return 0;
}

void *wait_for_first(void *arg)
{
    pthread_join(first, 0);
    assert(done == 1);
    return 0;
}

int main(void)
{
    pthread_t second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, wait_for_first, 0);
    pthread_join(second, 0);
    return 0;
}
