// expect[race]: unsafe
// why: atomic_init is no atomic access, also on a line with one.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag;

static void *look(void *arg) { return data ? arg : 0; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    atomic_init(&data, 5); atomic_store(&flag, 1);
    pthread_join(thread, 0);
    return 0;
}
