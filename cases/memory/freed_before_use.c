// expect: unsafe at 19
// property: basic
// why: between the reader's look at the pointer and its use of it the other thread takes the object away
#include <pthread.h>
#include <stdlib.h>
struct item {
    int value;
};
struct item *slot;
void *taker(void *arg) {
    struct item *mine = slot;
    slot = 0;
    free(mine);
    return 0;
}
void *reader(void *arg) {
    struct item *found = slot;
    if (found)
        found->value = 3;
    return 0;
}
int main(void) {
    pthread_t a, b;
    slot = calloc(1, sizeof *slot);
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
