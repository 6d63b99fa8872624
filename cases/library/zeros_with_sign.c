// expect: safe
// engines: explicit
// why: zeros that rounding and remainders leave have the sign of the argument
#include <assert.h>
#include <math.h>

int main(void)
{
    double whole;
    assert(1 / rint(-0.25) < 0 && 1 / rint(0.25) > 0 && 1 / nearbyint(-0.0) < 0);
    assert(1 / fmod(-4.0, 2.0) < 0 && 1 / fmod(4.0, -2.0) > 0 && fmod(5.0, INFINITY) == 5.0);
    assert(1 / modf(-3.0, &whole) < 0 && whole == -3.0 && 1 / modf(-INFINITY, &whole) < 0);
    return 0;
}
