// expect: safe
// options: --model aarch64
// engines: bmc
// why: loops of exclusive accesses are read-modify-writes, and loads that acquire keep what follows behind them
#include <assert.h>
#include <pthread.h>

static unsigned next, serving;
static int sum;

static unsigned fetch_and_add(unsigned *at, unsigned by)
{
    unsigned old, new, failed;
    __asm__ volatile("1: ldxr %w0, %3\n"
                     "   add %w1, %w0, %w4\n"
                     "   stxr %w2, %w1, %3\n"
                     "   cbnz %w2, 1b"
                     : "=&r"(old), "=&r"(new), "=&r"(failed), "+Q"(*at)
                     : "r"(by)
                     : "memory");
    return old;
}

static unsigned load_acquire(unsigned *at)
{
    unsigned value;
    __asm__ volatile("ldar %w0, [%1]" : "=r"(value) : "r"(at) : "memory");
    return value;
}

static void store_release(unsigned *at, unsigned value)
{
    __asm__ volatile("stlr %w1, %0" : "=Q"(*at) : "r"(value) : "memory");
}

static void *worker(void *unused)
{
    unsigned own = fetch_and_add(&next, 1);
    while (load_acquire(&serving) != own)
        ;
    sum = sum + 1;
    store_release(&serving, own + 1);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    worker(0);
    pthread_join(one, 0);
    assert(sum == 2);
    return 0;
}
