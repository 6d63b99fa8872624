// expect: safe
extern void abort(void);
void reach_error(void) {}

extern unsigned char __VERIFIER_nondet_uchar(void);
void assume_abort_if_not(int cond) {
    if (!cond)
        abort();
}
int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
    assume_abort_if_not(x > 250);
    if (x < 200)
        reach_error();
    return 0;
}
