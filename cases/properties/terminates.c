// expect[termination]: unknown
// why: no engine decides termination yet
int main(void) {
    for (int i = 0; i < 5; i++) {
    }
    return 0;
}
