// expect[memsafety]: unsafe
// why: the block can go between the two reads of the other thread; they were taken for one step, across the free
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int first, second;
};
struct pair *shared;
int sum;

void *reader(void *arg) {
    struct pair *mine = shared;
    sum = mine->first;
    sum += mine->second;
    return 0;
}

int main(void) {
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    pthread_create(&thread, 0, reader, 0);
    free(shared);
    pthread_join(thread, 0);
    return 0;
}
