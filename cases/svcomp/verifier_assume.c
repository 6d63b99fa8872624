// expect: safe
extern void abort(void);
void reach_error(void) {}

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(x % 2 == 0);
    if (x == 7)
        reach_error();
    return 0;
}
