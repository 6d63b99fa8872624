// expect: unsafe at 11
// why: what was written is seen before the process ends by exit
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

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
    exit(0);
}
