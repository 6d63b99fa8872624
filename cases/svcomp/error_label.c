// expect: unsafe at 8
// why: old tasks mark the error by a label
int main(void) {
    int x = 3;
    if (x == 3)
        goto ERROR;
    return 0;
ERROR:
    return 1;
}
