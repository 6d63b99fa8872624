// A sequence lock: the reader copies both halves and believes them only if the even sequence number did not change.
// expect: safe
// expect[race]: safe
// why: a torn copy is always noticed by the second look at the number
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int left, right;

void *writer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, i);
        atomic_store(&right, i);
        atomic_fetch_add(&sequence, 1);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load(&sequence);
        a = atomic_load(&left);
        b = atomic_load(&right);
        after = atomic_load(&sequence);
    } while (before != after || before % 2 != 0);
    assert(a == b);
    pthread_join(thread, 0);
    return 0;
}
