// expect[memsafety]: unsafe
// why: for one of many inputs the block is not freed, and nobody names it any more
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char n = __VERIFIER_nondet_uchar();
    char *buffer = malloc(16);
    if (n == 77)
        return 0;
    free(buffer);
    return 0;
}
