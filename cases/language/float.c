// expect: safe
#include <assert.h>

int main(void) {
    double a = 0.1, b = 0.2;
    assert(a + b != 0.3);
    assert((int)3.99 == 3 && (int)-3.99 == -3);
    float f = 16777216.0f;
    assert(f + 1.0f == f);
    assert(1.0 / 4 == 0.25);
    double zero = 0.0;
    double nan = zero / zero;
    assert(nan != nan);
    assert((float)0.1 != 0.1);
    return 0;
}
