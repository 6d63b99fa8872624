// expect: unsafe at 5
// why: malloc is not asked, the pointer is just null
int main(void) {
    int *p = 0;
    *p = 1;
    return 0;
}
