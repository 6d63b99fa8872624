// expect[race]: unsafe
// why: strtok remembers its place for all threads
#include <pthread.h>
#include <string.h>

char first[] = "a b", second[] = "c d";
void *worker(void *arg) { strtok(second, " "); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    strtok(first, " ");
    pthread_join(t, 0);
    return 0;
}
