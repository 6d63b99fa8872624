// expect: safe
// why: the same places of several arrays, reached from positions in one of them, through parameters as well
#include <assert.h>
#include <stdint.h>

char from[4], to[4];
short wide[4];
int own[4], other[4];

static void mark(char *dst, char *src, char *p) { dst[p - src] = 1; }

static int *moved(int *p, int *a, int *b) { return (int *)((uintptr_t)p - (uintptr_t)a + (uintptr_t)b); }

int main(void) {
    char *p = from;
    while (p < from + 2)
        p++;
    mark(to, from, p);
    mark(from, to, to + 1);
    wide[p - from] = 3;
    *moved(own + 3, own, other) = 4;
    assert(to[2] == 1 && to[1] == 0 && from[1] == 1 && from[2] == 0);
    assert(wide[2] == 3 && wide[1] == 0 && other[3] == 4 && own[3] == 0);
    return 0;
}
