// expect[deadlock]: safe
// expect[termination]: unsafe
// why: the loop runs for ever, but nobody waits
int main(void) {
    volatile int x = 0;
    while (x == 0) {
    }
    return 0;
}
