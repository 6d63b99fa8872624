// expect: unsafe at 14
// property: assert,valid-deref
// engines: bmc
// why: the block has another size and other contents on each way out of the loop
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern long __VERIFIER_nondet_long(void);

static void *work(void *argument)
{
    int *numbers = argument;
    assert(numbers[0] == 0);
    return 0;
}

int main(void)
{
    long n = __VERIFIER_nondet_long();
    int *numbers;
    pthread_t other;
    if (n < 0 || n > 3)
        return 1;
    for (long i = 0; i < n; i++)
        if (i == 1)
            goto plain;
    numbers = calloc(2, sizeof *numbers);
    goto made;
plain:
    numbers = malloc(8 * sizeof *numbers);
made:
    pthread_create(&other, 0, work, numbers);
    pthread_join(other, 0);
    free(numbers);
    return 0;
}
