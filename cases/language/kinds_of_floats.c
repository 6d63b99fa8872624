// expect: safe
// why: infinities, signs and the limits of <float.h> are what IEEE 754 says
#include <assert.h>
#include <float.h>
#include <math.h>

int main(void)
{
    volatile double zero = 0.0;
    double infinite = 1 / zero, none = zero / zero;
    assert(isinf(infinite) && isinf(-infinite) && !isinf(none) && !isinf(DBL_MAX));
    assert(isfinite(DBL_MAX) && !isfinite(infinite) && !isfinite(none));
    assert(signbit(-zero) && !signbit(zero) && signbit(-infinite));
    assert(isnormal(DBL_MIN) && !isnormal(DBL_MIN / 2) && !isnormal(zero) && isnormal(FLT_MIN));
    assert(1 + DBL_EPSILON > 1 && DBL_MAX * 2 == infinite);
    return 0;
}
