// expect[reach]: unsafe
// property: basic
// why: a place inside of one block is not where another one begins, however large the first one is
extern void *calloc(unsigned long, unsigned long);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);

int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong();
  if (n < 4 || n > 1ul << 34)
    return 0;
  char *one = calloc(n, 1), *other = calloc(n, 1);
  unsigned long at = __VERIFIER_nondet_ulong();
  if (at >= n)
    return 0;
  one[at] = 1;
  other[at] = 1;
  if (one + at != other)
    reach_error();
}
