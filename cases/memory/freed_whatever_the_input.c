// expect[memsafety]: safe
// why: all that is allocated is freed, for any size, and realloc copies what was never written
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000)
        return 0;
    char *buffer = malloc(16);
    buffer[0] = 1;
    buffer = realloc(buffer, 32);
    int *numbers = malloc(n * sizeof *numbers);
    numbers[n - 1] = buffer[0];
    free(numbers);
    free(buffer);
    return 0;
}
