// expect: safe
// options: --data-model ilp32
// why: long and pointers have 4 bytes
extern void abort(void);
void reach_error(void) {}
int main(void) {
    if (sizeof(long) != 4 || sizeof(void *) != 4 || sizeof(long long) != 8)
        reach_error();
    unsigned long x = 0xffffffffu;
    x++;
    if (x != 0)
        reach_error();
    return 0;
}
