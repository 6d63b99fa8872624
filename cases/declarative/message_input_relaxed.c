// expect[sc]: safe
// expect[tso]: safe
// expect[rc11]: unsafe
// property: reach,assert
// engines: declarative
// knobs: declarative.domain=pred
// why: a relaxed flag does not bring the data along
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

int data;
atomic_int flag;

static void *writer(void *arg)
{
    for (;;) {
        int value = __VERIFIER_nondet_int();
        if (value <= 0)
            continue;
        while (atomic_load_explicit(&flag, memory_order_relaxed))
            ;
        data = value;
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    }
    return 0;
}

static void *reader(void *arg)
{
    for (;;) {
        while (!atomic_load_explicit(&flag, memory_order_relaxed))
            ;
        int seen = data;
        assert(seen > 0);
        atomic_store_explicit(&flag, 0, memory_order_relaxed);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&other, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
