// expect[sc]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// why: with seq_cst accesses no flag is missed, under rc11 too
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag1, flag2, turn;
int crit;

static void *first(void *arg)
{
    for (;;) {
        atomic_store_explicit(&flag1, 1, memory_order_seq_cst);
        while (atomic_load_explicit(&flag2, memory_order_seq_cst) == 1) {
            if (atomic_load_explicit(&turn, memory_order_seq_cst) != 0) {
                atomic_store_explicit(&flag1, 0, memory_order_seq_cst);
                while (atomic_load_explicit(&turn, memory_order_seq_cst) != 0)
                    ;
                atomic_store_explicit(&flag1, 1, memory_order_seq_cst);
            }
        }
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        atomic_store_explicit(&turn, 1, memory_order_release);
        atomic_store_explicit(&flag1, 0, memory_order_release);
    }
}

static void *second(void *arg)
{
    for (;;) {
        atomic_store_explicit(&flag2, 1, memory_order_seq_cst);
        while (atomic_load_explicit(&flag1, memory_order_seq_cst) == 1) {
            if (atomic_load_explicit(&turn, memory_order_seq_cst) != 1) {
                atomic_store_explicit(&flag2, 0, memory_order_seq_cst);
                while (atomic_load_explicit(&turn, memory_order_seq_cst) != 1)
                    ;
                atomic_store_explicit(&flag2, 1, memory_order_seq_cst);
            }
        }
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        atomic_store_explicit(&turn, 0, memory_order_release);
        atomic_store_explicit(&flag2, 0, memory_order_release);
    }
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
