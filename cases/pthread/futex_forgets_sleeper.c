// expect[deadlock]: unsafe
// expect[assert]: safe
// why: Who gives the lock back wakes nobody, so that whoever sleeps may sleep for ever.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int is_taken;
static int total;

static void *add(void *arg) {
    while (atomic_exchange(&is_taken, 1))
        syscall(SYS_futex, &is_taken, FUTEX_WAIT, 1, 0, 0, 0);
    total++;
    atomic_store(&is_taken, 0);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(total == 2);
    return 0;
}
