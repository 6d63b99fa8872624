// expect: unsafe at 19
// why: C leaves open in which order arguments are evaluated

#include <assert.h>

int trail;

int step(int x) {
    trail = trail * 10 + x;
    return x;
}

int pair(int a, int b) { return 10 * a + b; }

int main(void) {
    int both = pair(step(1), step(2));
    assert(both == 12);
    assert(trail == 12 || trail == 21);
    assert(trail == 12);
    return 0;
}
