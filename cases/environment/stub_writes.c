// expect: unsafe at 14
// options: --stub havoc
// why: a function that nobody wrote may change what it is given the address of, and returns anything
#include <assert.h>

int ask(int *place, const int *only_read);
char *find(int number);

int main(void) {
    int a = 1, b = 2;
    char *text = find(ask(&a, &b));
    if (text) text[0] = 'x';
    assert(b == 2);
    assert(a == 1);
    return 0;
}
