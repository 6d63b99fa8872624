// expect: safe
#include <assert.h>
#include <pthread.h>

void leave(void) { pthread_exit((void *)7); }
void *worker(void *arg) { leave(); assert(0); return 0; }
int main(void) {
    pthread_t a;
    void *result;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, &result);
    assert(result == (void *)7);
    pthread_exit(0);
}
