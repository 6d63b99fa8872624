// expect: safe
// As many workers as there are processors: no machine has so many that their handles take more than all memory.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *unused) { return 0; }
int main(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    long pages = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (n < 1 || pages < n)
        abort();
    pthread_t *workers = malloc(n * sizeof *workers);
    pthread_create(&workers[0], 0, work, 0);
    pthread_join(workers[0], 0);
    free(workers);
    return 0;
}
