// expect: unknown
// why: elsewhere a label of this name starts its statement as a thread, which is refused by name
volatile unsigned x;

void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
__CPROVER_ASYNC_1:
    worker(0);
    return x;
}
