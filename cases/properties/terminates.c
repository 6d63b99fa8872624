// expect[termination]: safe
// why: the loop counts to five
int main(void) {
    for (int i = 0; i < 5; i++) {
    }
    return 0;
}
