// expect[reach]: unsafe
// property: basic
// options: --data-model ilp32
// why: a place inside of one block is not where another one begins, however large the first one is
extern void *calloc(unsigned, unsigned);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 60000 || n > 70000)
    return 0;
  char *one = calloc(n, 1), *other = calloc(n, 1);
  unsigned at = __VERIFIER_nondet_uint();
  if (at >= n)
    return 0;
  one[at] = 1;
  other[at] = 1;
  if (one + 49152 != other)
    reach_error();
}
