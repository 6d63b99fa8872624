// expect[assert]: safe
// options: --model pso.cat
// engines: bmc graphs
// why: a sequentially consistent store empties the buffers, though nobody else knows the place
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int x, y;
static atomic_int own;

static void *left(void *unused)
{
    x = 1;
    own = 3;
    y = 2;
    return unused;
}

static void *right(void *unused)
{
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, left, 0);
    pthread_create(&other, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(!(x == 1 && y == 1));
    return 0;
}
