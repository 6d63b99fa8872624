// expect: safe
// `offsetof` of an element whose index is computed at run time, the usual way to size a record with a last array of any length.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

struct worker {
    int id;
    short state;
};

struct pool {
    int n;
    struct worker workers[];
};

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? 3 : 2;
    size_t size = offsetof(struct pool, workers[n]);
    assert(size == sizeof(struct pool) + n * sizeof(struct worker));
    assert(offsetof(struct pool, workers[n].state) == size + 4);
    assert(offsetof(struct pool, workers[1]) == 12);
    struct pool *pool = malloc(size);
    if (pool) {
        pool->workers[n - 1].id = 7;
        assert(pool->workers[n - 1].id == 7);
    }
    free(pool);
    return 0;
}
