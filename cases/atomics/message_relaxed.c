// expect[race]: unsafe
// why: a relaxed flag orders nothing, although every interleaving has the message before it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;
void *sender(void *arg) { data = 7; atomic_store_explicit(&ready, 1, memory_order_relaxed); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(data == 7);
    pthread_join(t, 0);
    return 0;
}
