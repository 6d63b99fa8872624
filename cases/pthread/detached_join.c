// expect: safe
// property: assert
// why: a detached thread cannot be joined; where nobody asks about misuse, trying returns an error
#include <assert.h>
#include <pthread.h>

void *worker(void *unused)
{
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_t third;
    pthread_attr_t attributes;
    pthread_create(&first, 0, worker, 0);
    pthread_detach(first);
    assert(pthread_join(first, 0) != 0);
    pthread_attr_init(&attributes);
    pthread_create(&second, &attributes, worker, 0);
    assert(pthread_join(second, 0) == 0);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&third, &attributes, worker, 0);
    assert(pthread_join(third, 0) != 0);
    return 0;
}
