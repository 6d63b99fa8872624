// expect[assert]: unsafe at 12
// why: the value is seen while the local lives; what is seen after its end proves nothing
#include <assert.h>
#include <pthread.h>
int nothing;
int *offered = &nothing;
int other;
void *reader(void *arg) {
    int *got = offered;
    int seen = *got;
    other = 1;
    assert(seen != 4);
    return 0;
}
void *owner(void *arg) {
    int local = 3;
    offered = &local;
    local = 4;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
