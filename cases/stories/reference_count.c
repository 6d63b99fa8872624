// expect: unsafe
// property: memsafety
// why: the count is looked at and changed in two steps
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
struct ref { atomic_int count; int payload; };
static struct ref *shared;
static void unref(struct ref *r) {
    if (atomic_load(&r->count) == 1) free(r); else atomic_fetch_sub(&r->count, 1);
}
static int worker(void *arg) { struct ref *r = arg; r->payload = 5; unref(r); return 0; }
int main(void) {
    shared = malloc(sizeof *shared);
    atomic_init(&shared->count, 2);
    shared->payload = 1;
    thrd_t t;
    thrd_create(&t, worker, shared);
    unref(shared);
    thrd_join(t, 0);
    return shared->payload;
}
