// expect: unsafe at 19
// why: the operands of a comparison are read in any order, and others can tell when an atomic one is
#include <assert.h>
#include <pthread.h>

_Atomic int a, b;

void *writes(void *arg)
{
    a = 1;
    b = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    assert(b <= a);
    pthread_join(thread, 0);
    return 0;
}
