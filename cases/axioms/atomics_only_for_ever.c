// expect[rc11]: safe
// property: assert,race
// engines: portfolio
// Two threads update a counter without end: no bound is enough, and there is nothing that could go wrong.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;

static void *up_and_down(void *unused)
{
    for (;;) {
        atomic_fetch_add_explicit(&busy, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&busy, 1, memory_order_relaxed);
    }
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, up_and_down, 0);
    pthread_create(&other, 0, up_and_down, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
