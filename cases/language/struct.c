// expect: safe
// why: structs are copied, passed and returned by value
#include <assert.h>

struct point { int x, y; };
struct line { struct point from, to; char name; };
struct point swap(struct point p) { struct point q = {p.y, p.x}; p.x = 99; return q; }
int main(void) {
    struct point p = {1, 2};
    struct point q = swap(p);
    assert(p.x == 1 && q.x == 2 && q.y == 1);
    struct line l = {.to = q, .name = 'l'};
    assert(l.from.x == 0 && l.to.x == 2 && l.name == 'l');
    struct line m = l;
    m.to.x = 7;
    assert(l.to.x == 2 && m.to.x == 7);
    struct point *r = &m.from;
    r->y = 5;
    assert(m.from.y == 5);
    assert(sizeof(struct line) == 20);
    return 0;
}
