// expect: unsafe at 10
// why: main has written before the process ends, and whoever runs in between sees it
#include <assert.h>
#include <pthread.h>

_Atomic int x;

void *look(void *arg)
{
    assert(x == 0);
    return 0;
}

pthread_t thread;

int main(void)
{
    pthread_create(&thread, 0, look, 0);
    x = 1;
    return 0;
}
