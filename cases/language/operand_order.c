// expect: safe
// why: every order of evaluation that C leaves open gives one of these values

#include <assert.h>

int x, trail;

int bump(void) { return ++x; }

int note(int n) {
    trail = trail * 10 + n;
    return n;
}

struct pair {
    int first, second;
};

int numbers[4];

int main(void) {
    int r = x + bump();
    assert(r == 1 || r == 2);

    x = 1;
    x += bump();
    assert(x == 3 || x == 4);

    x = 0;
    numbers[x] = bump();
    assert(x == 1 && (numbers[0] == 1 && numbers[1] == 0 || numbers[0] == 0 && numbers[1] == 1));

    int sum = note(1) + note(2) * note(3);
    assert(sum == 7);
    assert(trail == 123 || trail == 132 || trail == 213 || trail == 231 || trail == 312 || trail == 321);

    trail = 0;
    struct pair p = {note(4), note(5)};
    assert(p.first == 4 && p.second == 5 && (trail == 45 || trail == 54));

    /* Here C fixes the order. */
    trail = 0;
    int ordered = note(1) && note(2) ? (note(3), note(4)) : 0;
    assert(ordered == 4 && trail == 1234);
    return 0;
}
