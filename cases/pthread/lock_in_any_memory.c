// expect: safe
// why: Locks that are made once, in memory that nobody has written: of an allocator, an array of variable length, characters.
#include <pthread.h>
#include <stdlib.h>

static void use(pthread_mutex_t *lock) {
    pthread_mutex_init(lock, 0);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    pthread_mutex_destroy(lock);
}

int main(int argc, char **argv) {
    void *block;
    int n = argc > 1 ? 2 : 1;
    pthread_mutex_t locks[n];
    _Alignas(16) char bytes[sizeof(pthread_mutex_t)];
    if (posix_memalign(&block, 16, sizeof(pthread_mutex_t)) == 0) {
        use(block);
        free(block);
    }
    use(&locks[n - 1]);
    use((pthread_mutex_t *)bytes);
    return 0;
}
