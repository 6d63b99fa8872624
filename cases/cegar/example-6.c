// expect: safe
// property: reach,assert
// engines: cegar
// why: x = 0, y = 2 - x, [x >= 2] is a path of an abstraction that tracks x + y <= 2 and y >= 2, but not of the program (000, example 6 and figure 3.4)
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);

unsigned x, y;

void *looks_at_x(void *arg)
{
    assert(x < 2);
    return 0;
}

void *looks_at_y(void *arg)
{
    if (y >= 2)
        assert(x + y <= 2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    x = __VERIFIER_nondet_uint();
    y = __VERIFIER_nondet_uint();
    x = 0;
    y = 2 - x;
    pthread_create(&a, 0, looks_at_x, 0);
    pthread_create(&b, 0, looks_at_y, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
