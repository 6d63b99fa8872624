// expect: safe
// property: reach,assert
// counts[cegar.por=aware cegar.coi=none]: explored actions <= 50
// counts[cegar.por=aware cegar.coi=none]: explored actions < [cegar.por=source cegar.coi=none]
// counts[cegar.por=source cegar.coi=none]: explored actions < [cegar.por=none cegar.coi=none]
// counts[cegar.por=source cegar.coi=both]: explored actions < [cegar.por=source cegar.coi=none]
// counts[cegar.prune=lazy]: explored actions < [cegar.prune=full]
// counts[cegar.por=none cegar.prune=several]: refinements > [cegar.por=none cegar.prune=full]
// engines: cegar
// why: z stays even whatever y is; the abstraction needs to know nothing about y (000, figure 3.2 with N = 2)
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

unsigned char x, y, z;

void *p0(void *arg)
{
    while (__VERIFIER_nondet_int()) {
        __VERIFIER_atomic_begin();
        z = z + 2 * y;
        __VERIFIER_atomic_end();
    }
    __VERIFIER_atomic_begin();
    if (z % 2 == 0)
        x = 0;
    else
        x = 1;
    __VERIFIER_atomic_end();
    assert(x == 0);
    return 0;
}

void *increments(void *arg)
{
    __VERIFIER_atomic_begin();
    y = y + 1;
    __VERIFIER_atomic_end();
    return 0;
}

void *doubles(void *arg)
{
    __VERIFIER_atomic_begin();
    y = 2 * y;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, p0, 0);
    pthread_create(&thread, 0, increments, 0);
    pthread_create(&thread, 0, doubles, 0);
    pthread_create(&thread, 0, increments, 0);
    pthread_create(&thread, 0, doubles, 0);
    pthread_exit(0);
}
