// expect[race]: safe
// why: each thread has its own element
#include <assert.h>
#include <pthread.h>

int a[2];
void *first(void *arg) { a[0] = 1; return 0; }
void *second(void *arg) { a[1] = 1; return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a[0] + a[1] == 2);
    return 0;
}
