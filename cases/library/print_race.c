// expect[race]: unsafe
// expect: safe
// property: basic
// why: printing a text reads it, while the other thread writes it
#include <pthread.h>
#include <stdio.h>

char name[8] = "old";
void *logger(void *arg) {
    printf("name: %s\n", name);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, logger, 0);
    name[1] = 'x';
    pthread_join(t, 0);
    return 0;
}
