// expect: unsafe at 9
// property: basic
// why: the pointer is withdrawn before the local ends, but the other thread may have read it before
#include <pthread.h>
int *offered;
void *user(void *arg) {
    int *got = offered;
    if (got)
        *got = 1;
    return 0;
}
void *owner(void *arg) {
    int local = 0;
    offered = &local;
    offered = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
