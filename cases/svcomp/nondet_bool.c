// expect: unsafe at 9
extern void abort(void);
void reach_error(void) {}

extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    _Bool a = __VERIFIER_nondet_bool(), b = __VERIFIER_nondet_bool();
    if (a && !b)
        reach_error();
    return 0;
}
