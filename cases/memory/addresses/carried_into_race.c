// expect[race]: unsafe
// why: the position of the comma is written in the other array by both threads
#include <pthread.h>

char line[8] = "ab,c";
char marks[8];

void *mark(void *unused) {
    marks[2] = 3;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, mark, 0);
    char *at = line;
    while (*at != ',')
        at++;
    marks[at - line] = 1;
    pthread_join(thread, 0);
    return 0;
}
