// expect: unsafe
// property: race
// why: a record is copied while another thread reads it
#include <pthread.h>
#include <string.h>
#include <assert.h>
struct point { int x, y; };
struct shape { struct point p[3]; char tag[8]; };
static struct shape shared;
static void *worker(void *arg) {
    struct shape local = { { {1, 2}, {3, 4}, {5, 6} }, "tri" };
    (void)arg;
    shared = local;
    return 0;
}
int main(void) {
    pthread_t t;
    int table[6] = { 1, 2, 3, 4, 5, 6 };
    pthread_create(&t, 0, worker, table);
    struct shape copy;
    memcpy(&copy, &shared, sizeof copy);
    pthread_join(t, 0);
    assert(copy.p[1].x == copy.p[1].x + 0 && table[2] == 3);
    return 0;
}
