// expect: safe
#include <assert.h>

struct pair { int a, b; };
int sum(const struct pair *p) { return p->a + p->b; }
int main(void) {
    assert(sum(&(struct pair){.b = 2, .a = 1}) == 3);
    int *p = (int[]){1, 2, 3};
    assert(p[2] == 3);
    return 0;
}
