// expect: safe
// property: reach,assert
// counts[cegar.coi=dynamic cegar.por=source]: explored actions <= 60
// counts[cegar.coi=none cegar.por=aware]: explored actions >= 90
// engines: cegar
// why: last is looked at before the threads start and never again, so that last = x depends on no x from then on; which x it finds does not matter, and no order of the two threads has to be tried (000, chapter 4)
#include <assert.h>
#include <pthread.h>

int x, last;

void *watcher(void *arg)
{
    last = x;
    last = x;
    last = x;
    last = x;
    return 0;
}

int main(void)
{
    pthread_t t;
    assert(last == 0);
    pthread_create(&t, 0, watcher, 0);
    x = 1;
    x = x + 1;
    x = x + 1;
    x = x + 1;
    assert(x == 4);
    pthread_join(t, 0);
    return 0;
}
