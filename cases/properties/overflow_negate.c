// expect[overflow]: unsafe at 4
int main(void) {
    int x = -2147483647 - 1;
    x = -x;
    return 0;
}
