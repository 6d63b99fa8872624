// expect: safe
// expect[memsafety]: safe
// why: texts of the environment do not end with the thread that asked for them, and nobody loses them
#include <pthread.h>
#include <stdlib.h>

char *text;

void *ask(void *arg) {
    text = getenv("HOME");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, ask, 0);
    pthread_join(thread, 0);
    int first = text ? text[0] : 0;
    text = 0;
    return first;
}
