// expect: safe
// engines: explicit bmc
// why: comparisons that do not mind NaNs, and what kind of number one is
#include <assert.h>
#include <math.h>

int main(void)
{
    double nan = NAN, big = INFINITY;
    float small = 1e-40f;
    assert(!isgreater(nan, 1.0) && isunordered(nan, 1.0) && !isunordered(big, 1.0));
    assert(isgreater(big, 1.0) && isless(1.0f, 2.0) && islessequal(2.0, 2.0) && !islessgreater(2.0, 2.0));
    assert(fpclassify(nan) == FP_NAN && fpclassify(-big) == FP_INFINITE && fpclassify(1.0) == FP_NORMAL);
    assert(fpclassify(small) == FP_SUBNORMAL && fpclassify(-0.0) == FP_ZERO);
    assert(fdim(3.0, 1.0) == 2.0 && fdim(1.0, 3.0) == 0 && fdimf(2.5f, 2.0f) == 0.5f && isunordered(fdim(nan, 1), 0.0));
    return 0;
}
