// expect: safe
// why: the bits behind that of the sign that are like it are counted, in numbers of each length
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int same = __builtin_clrsb(n);
  assert(same >= 0 && same <= 31);
  assert((same == 31) == (n == 0 || n == -1));
  if (n > 0)
    assert(same == __builtin_clz(n) - 1);
  assert(__builtin_clrsb(~n) == same);
  assert(__builtin_clrsbll(-256) == 55 && __builtin_clrsb(1 << 30) == 0);
  return 0;
}
