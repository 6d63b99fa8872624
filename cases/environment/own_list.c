// expect: safe
// why: lists of arguments in functions of one's own, passed on and copied
#include <assert.h>
#include <stdarg.h>

static int add(int n, va_list list) {
    int sum = 0;
    while (n-- > 0)
        sum += va_arg(list, int);
    return sum;
}

static int sum(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    int a = add(n, list), b = add(n, again);
    va_end(again);
    va_end(list);
    assert(a == b);
    return a;
}

static double mixed(const char *kinds, ...) {
    va_list list;
    double result = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'd')
            result += va_arg(list, double);
        else if (*kinds == 'l')
            result += va_arg(list, long);
        else
            result += *va_arg(list, char *) == 'x';
    }
    va_end(list);
    return result;
}

int main(void) {
    assert(sum(0) == 0);
    assert(sum(3, 1, 2, 3) == 6);
    assert(mixed("dls", 1.5, 2L, "xyz") == 4.5);
    return 0;
}
