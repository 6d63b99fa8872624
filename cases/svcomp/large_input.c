// expect: unsafe at 12
// engines: bmc
// why: the explicit engine does not enumerate 2^32 values, the solver finds the one that counts
extern void abort(void);
void reach_error(void) {}

extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = x * 3;
    if (y == 12345)
        reach_error();
    return 0;
}
