// expect: safe
// expect[overflow]: safe
// why: other divisors than -1, and smaller types, cannot overflow
extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    short c = __VERIFIER_nondet_short();
    if (b > 0)
        a = a / b;
    a = a / 2 % -3;
    return c / -1 == a;
}
