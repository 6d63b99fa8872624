// expect: unsafe at 6
extern void __VERIFIER_error(void) __attribute__((__noreturn__));
int main(void) {
    int x = 3;
    if (x > 2) {
        __VERIFIER_error();
    }
    return 0;
}
