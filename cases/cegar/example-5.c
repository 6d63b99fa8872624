// expect: unsafe at 26
// property: reach,assert
// engines: cegar
// why: the step of a thread that cannot run (z is never 1) must not hide the error of another one (000, example 5)
#include <assert.h>
#include <pthread.h>

int x, y, z;

void *alpha(void *arg)
{
    x = 1;
    return 0;
}

void *gamma_(void *arg)
{
    while (z != 1)
        ;
    z = 0;
    return 0;
}

void *beta(void *arg)
{
    assert(y != 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, gamma_, 0);
    pthread_create(&thread, 0, alpha, 0);
    pthread_create(&thread, 0, beta, 0);
    pthread_exit(0);
}
