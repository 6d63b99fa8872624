// expect: unsafe at 9
// expect[overflow]: unsafe at 9
// expect[reach]: safe
// why: the remainder of the least number and -1 is as undefined as their quotient
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    return b == 0 ? 0 : a % b;
}
