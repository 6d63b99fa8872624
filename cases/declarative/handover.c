// expect[sc]: safe
// expect[tso]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// knobs: declarative.domain=pred
// why: a request between two bounds is answered by its double: predicates of one thread are about what the other has written
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

atomic_int request, answer;

static void *asks(void *arg)
{
    for (;;) {
        int value = __VERIFIER_nondet_int();
        if (value < 0 || value > 1000)
            continue;
        atomic_store_explicit(&request, value, memory_order_relaxed);
        int got = atomic_load_explicit(&answer, memory_order_relaxed);
        assert(got >= 0 && got <= 2000);
    }
    return 0;
}

static void *doubles(void *arg)
{
    for (;;) {
        int asked = atomic_load_explicit(&request, memory_order_relaxed);
        atomic_store_explicit(&answer, 2 * asked, memory_order_relaxed);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, asks, 0);
    pthread_create(&other, 0, doubles, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
