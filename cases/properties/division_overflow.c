// expect: unsafe at 9
// expect[overflow]: unsafe at 9
// expect[division]: unsafe at 9
// why: the least number divided by -1 has no result, and traps like a division by zero
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    return b == 0 ? 0 : a / b;
}
