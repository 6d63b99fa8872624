// expect: safe
// engines: explicit
// why: what a thread returned is read into a variable that decides nothing; it is not some input for that
#include <assert.h>
#include <pthread.h>

int x;

void *thread(void *arg)
{
    return (void *)2;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, &result);
    long unused = (long)result;
    assert(x == 0);
    return 0;
}
