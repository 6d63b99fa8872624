// expect: unsafe at 15
// why: the sum of an input and constants wraps around and is then small

extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x + 10;
    if (x < 4000000000u)
        return 0;
    y = y - 3;
    if (y < 5)
        if (x == 4294967291u)
            reach_error();
    return 0;
}
