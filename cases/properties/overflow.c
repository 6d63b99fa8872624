// expect: safe
// expect[overflow]: unsafe at 6
// why: without the property arithmetic wraps
int main(void) {
    int x = 2147483647;
    x = x + 1;
    return 0;
}
