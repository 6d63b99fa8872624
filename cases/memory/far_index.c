// expect[memsafety]: unsafe
// options: --data-model ilp32
// engines: explicit bmc
// why: a round number added to a pointer leads into no other object, however the objects lie
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t size);
void free(void *block);
void exit(int status);

int main(void)
{
    int *p = malloc(16), *q = malloc(16), *r = malloc(16);
    if (!p || !q || !r)
        exit(0);
    p[0] = q[0] = r[0] = 1;
    p[16384] = 2;
    free(p);
    free(q);
    free(r);
    return 0;
}
