// expect[rc11]: safe
// expect[imm]: safe
// property: reach,assert
// engines: bmc
// Threads of C11 begin after their creation and hand over what they have written to whoever joins them.
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static int given, returned;
static atomic_int seen;

static int worker(void *unused)
{
    returned = given + 1;
    atomic_store_explicit(&seen, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    thrd_t t;
    given = 1;
    thrd_create(&t, worker, 0);
    thrd_join(t, 0);
    assert(returned == 2);
    assert(atomic_load_explicit(&seen, memory_order_relaxed) == 1);
    return 0;
}
