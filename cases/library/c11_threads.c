// expect: safe
// expect[race]: safe
#include <assert.h>
#include <threads.h>

mtx_t lock;
int x;
int worker(void *arg) {
    mtx_lock(&lock);
    x++;
    mtx_unlock(&lock);
    return 3;
}
int main(void) {
    thrd_t a, b;
    int result;
    mtx_init(&lock, mtx_plain);
    thrd_create(&a, worker, 0);
    thrd_create(&b, worker, 0);
    thrd_join(a, &result);
    thrd_join(b, 0);
    assert(x == 2 && result == 3);
    mtx_destroy(&lock);
    return 0;
}
