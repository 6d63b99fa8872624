// expect: unsafe at 13
// property: assert
// why: the sign of a number is computed; only that of a NaN is anything
#include <assert.h>
#include <math.h>

extern double __VERIFIER_nondet_double(void);

int main(void) {
  double number = __VERIFIER_nondet_double();
  if (number < -1.5) {
    assert(signbit(number));
    assert(0);
  }
}
