// expect[memsafety]: unsafe
// engines: explicit bmc
// why: an array is as constant as its elements
static const int table[2] = { 1, 2 };

int main(void)
{
    int *p = (int *)table;
    p[0] = 3;
    return 0;
}
