// expect: safe
// property: reach,assert
// engines: cegar
// why: with nothing known about y both assignments are simplified away; the refiner must see the original ones, or it would call the path feasible (000, 4.1.3)
#include <assert.h>
#include <pthread.h>

int x, y;

void *p1(void *arg)
{
    x = 1;
    y = x;
    assert(y == 1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, p1, 0);
    pthread_join(thread, 0);
    return 0;
}
