// expect[race]: unsafe
// engines: explicit
// why: what one thread is about to use the other frees, so that the second access is no longer valid
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int *count;
void *user(void *arg) {
    atomic_fetch_add(count, 1);
    return 0;
}
int main(void) {
    pthread_t t;
    count = malloc(sizeof *count);
    if (!count)
        return 0;
    atomic_store(count, 0);
    pthread_create(&t, 0, user, 0);
    free(count);
    pthread_join(t, 0);
    return 0;
}
