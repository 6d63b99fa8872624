// expect: unsafe at 7
// why: an array has at least one element

int main(void)
{
    int n = -1;
    int a[n];
    a[0] = 1;
    return 0;
}
