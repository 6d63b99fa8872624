// expect[deadlock]: safe
// expect[termination]: unknown
// why: the loop runs for ever but nobody waits; no engine decides termination yet
int main(void) {
    volatile int x = 0;
    while (x == 0) {
    }
    return 0;
}
