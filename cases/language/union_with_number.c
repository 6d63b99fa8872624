// expect: safe
// why: a union of a pointer and a number with a point, told apart by a tag; what is read is what was written
#include <assert.h>

union value {
    double number;
    char *text;
};

struct tagged {
    int kind;
    union value value;
};

static char hello[] = "hello";

int main(void) {
    struct tagged a[2];
    double sum = 0;
    a[0].kind = 0;
    a[0].value.number = 1.5;
    a[1].kind = 1;
    a[1].value.text = hello;
    for (int i = 0; i < 2; i++) {
        if (a[i].kind == 0)
            sum += a[i].value.number;
        else
            sum += a[i].value.text[0] == 'h';
    }
    assert(sum == 2.5);
    return 0;
}
