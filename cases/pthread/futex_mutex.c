// expect: safe
// expect[deadlock]: safe
// why: A mutex of three states on a futex: who finds it taken says so before it sleeps, and who gives it back wakes one that may sleep.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, TAKEN, CONTENDED };
static atomic_int state;
static int total;

static void enter(void) {
    int seen = FREE;
    if (atomic_compare_exchange_strong(&state, &seen, TAKEN)) return;
    while (atomic_exchange(&state, CONTENDED) != FREE)
        syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, CONTENDED, 0, 0, 0);
}

static void leave(void) {
    if (atomic_exchange(&state, FREE) == CONTENDED) syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *add(void *arg) {
    enter();
    total++;
    leave();
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
