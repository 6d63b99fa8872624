// expect[rc11]: safe
// engines: bmc
// Each thread sees after a barrier what the other has written before it.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int left, right;

static void *other(void *unused)
{
    left = 1;
    pthread_barrier_wait(&barrier);
    assert(right == 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, other, 0);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_join(t, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
