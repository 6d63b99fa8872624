// expect: unsafe at 10
// why: mtx_trylock may fail although nobody holds the mutex
#include <assert.h>
#include <threads.h>

mtx_t lock;

int main(void) {
    mtx_init(&lock, mtx_plain);
    assert(mtx_trylock(&lock) == thrd_success);
    return 0;
}
