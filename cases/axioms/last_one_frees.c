// expect[rc11]: safe
// property: race
// engines: bmc
// why: whoever takes the count to zero frees; the decrement releases what was done with the object and the last one acquires it
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int users;
    int value;
};

static void let_go(struct shared *this)
{
    if (atomic_fetch_sub_explicit(&this->users, 1, memory_order_acq_rel) == 1)
        free(this);
}

static void *use(void *arg)
{
    struct shared *this = arg;
    int seen = this->value;
    let_go(this);
    return (void *)(long)seen;
}

int main(void)
{
    pthread_t one;
    struct shared *this = malloc(sizeof *this);
    atomic_init(&this->users, 2);
    this->value = 7;
    pthread_create(&one, 0, use, this);
    use(this);
    pthread_join(one, 0);
    return 0;
}
