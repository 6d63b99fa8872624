// expect: safe
// why: A relaxed store that a macro hides is one, whatever is said beside it.
#include <pthread.h>
#include <stdatomic.h>

#define PUT(object, value) atomic_store_explicit(&(object), (value), memory_order_relaxed)

static atomic_int data;

static void *look(void *arg) { return data ? arg : 0; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    PUT(data, 5); /* atomic_init was called before */
    pthread_join(thread, 0);
    return 0;
}
