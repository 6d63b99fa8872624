// expect: unsafe at 27
// property: reach,assert
// counts[cegar.coi=both]: percent eliminated > 25
// counts[cegar.coi=dynamic]: percent eliminated > [cegar.coi=static]
// counts[cegar.coi=static]: percent eliminated > [cegar.coi=none]
// counts[cegar.coi=none]: percent eliminated = 0
// engines: cegar
// why: p2 may copy the old x over y; once y = x has run, nobody reads x any more and x = 1 is not evaluated (000, figures 2.1, 4.1 and 4.2)
#include <assert.h>
#include <pthread.h>

int x, y;

void *p2(void *arg)
{
    y = x;
    x = 0;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, p2, 0);
    x = 1;
    y = 1;
    assert(y == 1);
    return 0;
}
