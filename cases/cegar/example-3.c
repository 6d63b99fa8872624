// expect: unsafe at 32
// property: reach,assert
// engines: cegar
// why: x++ and y++ touch nothing in common, but with the predicates x > y and x > y + 1 they do not commute in the abstraction (000, example 3 and figure 3.1)
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x = 1, y;

void *steps_x(void *arg)
{
    x++;
    return 0;
}

void *steps_y(void *arg)
{
    y++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, steps_x, 0);
    pthread_create(&b, 0, steps_y, 0);
    __VERIFIER_atomic_begin();
    int is_more = x > y, is_much_more = x > y + 1;
    __VERIFIER_atomic_end();
    assert(is_more);
    return 0;
}
